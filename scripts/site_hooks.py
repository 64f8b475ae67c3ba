"""What mkdocs cannot do by itself: the README as the first page, and a menu without pages that are not made yet."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

_LINK_TO_DOCS = re.compile(r"\]\(docs/")
_LINK_ELSEWHERE = re.compile(r"\[([^\]]+)\]\((?!docs/|https?:|#)[^)]+\)")
"""To a file that is not part of the site."""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    config.nav = _existing(config.nav or [], Path(config.docs_dir))
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    readme = Path(config.config_file_path).parent / "README.md"
    files.append(File.generated(config, "index.md", content=as_page(readme.read_text(encoding="utf-8"))))
    return files


def as_page(readme: str) -> str:
    """The README with links as they are from within docs/."""
    return _LINK_TO_DOCS.sub("](", _LINK_ELSEWHERE.sub(r"\1", readme))


def _existing(entries: list[Any], docs: Path) -> list[Any]:
    """The menu without pages that are not there: some are made by benchmarks."""
    kept = []
    for entry in entries:
        ((title, target),) = entry.items()
        if isinstance(target, list):
            kept.append({title: _existing(target, docs)})
        elif target == "index.md" or (docs / target).exists():
            kept.append(entry)
    return kept

"""Hooks for mkdocs: add the README and CONTRIBUTING.md as pages, and leave missing generated pages out of the menu."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ADDED = {"index.md": "README.md", "contributing.md": "CONTRIBUTING.md"}
"""Pages of the site whose source is outside docs/."""

_LINK_TO_DOCS = re.compile(r"\]\(docs/")
_LINK_ELSEWHERE = re.compile(r"\[([^\]]+)\]\((?!docs/|https?:|#|CONTRIBUTING\.md)[^)]+\)")
"""A link to a file that is not part of the site."""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    config.nav = _existing(config.nav or [], Path(config.docs_dir))
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    root = Path(config.config_file_path).parent
    for page, source in ADDED.items():
        files.append(File.generated(config, page, content=as_page((root / source).read_text(encoding="utf-8"))))
    return files


def as_page(text: str) -> str:
    """Rewrite the links of a file in the root as links within docs/; drop links to files outside the site.

    >>> as_page("[limits](docs/limits.md), [LICENSE](LICENSE)")
    '[limits](limits.md), LICENSE'
    """
    return _LINK_TO_DOCS.sub("](", _LINK_ELSEWHERE.sub(r"\1", text)).replace("](CONTRIBUTING.md", "](contributing.md")


def _existing(entries: list[Any], docs: Path) -> list[Any]:
    """Return the menu without missing pages; benchmarks generate some of them."""
    kept = []
    for entry in entries:
        ((title, target),) = entry.items()
        if isinstance(target, list):
            kept.append({title: _existing(target, docs)})
        elif target in ADDED or (docs / target).exists():
            kept.append(entry)
    return kept

"""The documentation is true: pages made from code are up to date, and what they say is what the code does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from sparkwhy.spark import read
from sparkwhy.spark.support import OPERATORS

ROOT = Path(__file__).resolve().parent.parent


def test_generated_pages_are_up_to_date() -> None:
    made = subprocess.run(
        [sys.executable, "scripts/make_docs.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stdout + made.stderr


def test_every_operator_that_is_read_is_documented() -> None:
    documented = {node for operator in OPERATORS for node in operator.catalyst}
    transparent = {name for name, reader in read.NODES.items() if reader in read.PASSED_THROUGH}
    assert documented == set(read.NODES) - transparent

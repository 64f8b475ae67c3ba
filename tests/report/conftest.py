"""One browser for all tests of pages."""

from __future__ import annotations

import os
from collections.abc import Iterator
from shutil import which

import pytest

from tests.browser import Browser, NoBrowser, browser


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """A browser; tests are skipped where none can be had, but not where the set-up would have installed one."""
    try:
        with browser() as found:
            yield found
    except NoBrowser as missing:
        if os.geteuid() == 0 and which("apt-get"):
            pytest.fail(str(missing))
        pytest.skip(str(missing))

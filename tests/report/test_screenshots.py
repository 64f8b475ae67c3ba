"""The pictures of the documentation are there, and of modest size."""

from __future__ import annotations

from struct import unpack

import pytest

from scripts.make_screenshots import LOOKS, PICTURES


@pytest.mark.parametrize(("name", "look"), [(name, look) for name, looks in LOOKS.items() for look in looks])
def test_a_picture_is_as_wide_as_the_window(name: str, look: str) -> None:
    picture = (PICTURES / f"{name}_{look}.png").read_bytes()
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = unpack(">II", picture[16:24])
    assert width == LOOKS[name][look]["width"]
    assert height > 500
    assert len(picture) < 250_000

"""A real browser, without a window: Debian's Chromium, driven by its own chromedriver. Nothing is downloaded."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from typing import Any

from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_ARGUMENTS = ("--headless=new", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars", "--lang=en")


class NoBrowser(Exception):
    """There is no Chromium on this machine, or no chromedriver."""


@dataclass(frozen=True)
class Browser:
    """What the tests and the screenshots do with a page."""

    driver: Chrome

    def open(self, page: Path) -> None:
        self.driver.get(page.as_uri())

    def look(self, *, width: int = 1200, height: int = 900, scheme: str = "light", media: str = "screen") -> None:
        """As wide, and with the preferences, that a reader may have."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        preferred = [{"name": "prefers-color-scheme", "value": scheme}]
        self.tell("Emulation.setDeviceMetricsOverride", **size)
        self.tell("Emulation.setEmulatedMedia", media=media, features=preferred)

    def tell(self, command: str, **arguments: Any) -> Any:
        """A command of the DevTools protocol."""
        return self.driver.execute_cdp_cmd(command, arguments)

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def complaints(self) -> list[Any]:
        """What was written to the console since the last call."""
        return self.driver.get_log("browser")

    def requests(self) -> list[str]:
        """The addresses that were asked for since the last call."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]

    def picture(self, *, height: int | None = None) -> bytes:
        """The page as PNG, from the top down to a height, or all of it."""
        width, whole = self.run("const page = document.documentElement; return [page.clientWidth, page.scrollHeight]")
        clip = {"x": 0, "y": 0, "width": width, "height": height or whole, "scale": 1}
        return base64.b64decode(self.tell("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)["data"])


@contextmanager
def browser() -> Iterator[Browser]:
    """A browser, as long as it is needed; raises `NoBrowser` where there is none."""
    binary, driver = next(filter(None, map(which, _NAMES)), None), which("chromedriver")
    if binary is None or driver is None:
        raise NoBrowser("no Chromium with chromedriver here: `make setup` says what to install.")
    started = Chrome(options=_options(binary), service=Service(driver))
    try:
        yield Browser(started)
    finally:
        started.quit()


def _options(binary: str) -> ChromeOptions:
    options = ChromeOptions()
    options.binary_location = binary
    for argument in (*_ARGUMENTS, *(["--no-sandbox"] if os.geteuid() == 0 else [])):  # root has no sandbox
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return options

"""Debian's Chromium, driven by Selenium; nothing is fetched from the network."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from pathlib import Path

import pytest

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@contextmanager
def chromium(folder: Path, *, width: int = 1100, height: int = 1400):
    """A browser of its own; the test skips where there is none."""
    webdriver = pytest.importorskip("selenium.webdriver")
    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not browser or not driver:
        pytest.skip("no chromium and chromedriver; on Debian, install chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for flag in (*FLAGS, f"--window-size={width},{height}", f"--user-data-dir={folder}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    window = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    try:
        yield window
    finally:
        window.quit()


class Visitor:
    """Somebody at the page."""

    def __init__(self, window, url):
        from selenium.webdriver.support.ui import WebDriverWait

        self.window, self.url = window, url
        self._wait = WebDriverWait(window, 300, poll_frequency=0.05)
        self.open(url)

    def open(self, url):
        self.window.get("about:blank")  # else another hash would not load the page anew
        self.window.get(url)
        self.until(lambda: self.all(".card") or self.notice)

    def until(self, condition):
        self._wait.until(lambda _: condition())

    def all(self, selector):
        return self.window.find_elements("css selector", selector)

    def one(self, selector):
        return self.window.find_element("css selector", selector)

    def ask(self, selector, expression):
        """The values of a JavaScript expression in `e` for all elements, at one moment."""
        script = f"return [...document.querySelectorAll(arguments[0])].map((e) => {expression})"
        return self.window.execute_script(script, selector)

    def texts(self, selector):
        return self.ask(selector, "(e.innerText ?? e.textContent).trim()")

    @property
    def notice(self):
        return self.texts("#notice")[0]

    @property
    def worlds(self):
        """The notation of each world on the page."""
        return self.ask(".card .picture > .world", "e.getAttribute('aria-label')")

    def choose(self, name):
        """Clicks a button of the head of the page."""
        (button,) = [b for b in self.all("nav button") if b.text.lower() == name.lower()]
        button.click()
        self.wait()

    def wait(self):
        self.until(lambda: "busy" not in (self.one("body").get_attribute("class") or ""))

    def say(self, sentence):
        """Types a sentence and Enter; the newest command that is on the page then."""
        field = self.one("#sentence")
        field.clear()
        field.send_keys(sentence + "\n")
        self.wait()
        self.until(lambda: self.notice or field.get_attribute("value") == "")
        return self.texts(".step .program")[-1] if self.all(".step") else None

    def complaints(self):
        """What the browser logged of faults of the page."""
        return [entry for entry in self.window.get_log("browser") if entry["level"] == "SEVERE"]

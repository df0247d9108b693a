"""One server and one Chromium per test process; a fresh field and a fresh browser for each test.

NiceGUI keeps one application per process, so the server lives for the session, in a loop that all
tests of the page share.
"""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, ConsoleMessage, Page, ViewportSize, async_playwright
from tests.support.browser import CHROMIUM, FLAGS, LAPTOP, START_S, serving
from tests.support.example_field import ExampleField

from redband.tent import create_app

OpenPage = Callable[..., Awaitable[Page]]


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def session_field() -> ExampleField:
    return ExampleField()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def address(session_field: ExampleField) -> AsyncIterator[str]:
    async with serving(create_app(session_field, "Skirmish at the old mill")) as where:
        yield where


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def chromium() -> AsyncIterator[Browser]:
    if not shutil.which(CHROMIUM):
        pytest.fail(f"{CHROMIUM} is missing: install it with apt-get install chromium")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=CHROMIUM, args=FLAGS, timeout=START_S * 1000
        )
        yield browser
        await browser.close()


@pytest_asyncio.fixture(loop_scope="session")
async def field(session_field: ExampleField) -> ExampleField:
    session_field.reset()
    return session_field


@dataclasses.dataclass  # no slots: Playwright sets an attribute on what listens
class BrowserLog:
    """What the browsers of one test asked for (addresses) and complained of."""

    requests: list[str] = dataclasses.field(default_factory=list)
    errors: list[str] = dataclasses.field(default_factory=list)

    def listen(self, page: Page) -> None:
        """Note the requests and errors of `page` from now on."""
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("websocket", lambda opened: self.requests.append(opened.url))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", self._console)

    def _console(self, line: ConsoleMessage) -> None:
        if line.type == "error":
            self.errors.append(line.text)


@pytest.fixture
def browser_log() -> BrowserLog:
    return BrowserLog()


@pytest_asyncio.fixture(loop_scope="session")
async def open_page(
    chromium: Browser, address: str, field: ExampleField, browser_log: BrowserLog
) -> AsyncIterator[OpenPage]:
    """Give a function that opens the page in a browser of its own and waits for its badges.

    At the end no browser may have complained of anything.
    """
    contexts = []

    async def open_it(query: str = "", size: ViewportSize = LAPTOP, **options: Any) -> Page:
        context = await chromium.new_context(viewport=size, locale="en-GB", **options)
        contexts.append(context)
        page = await context.new_page()
        browser_log.listen(page)
        await page.goto(address + query)
        await page.wait_for_selector(".link-live .log", timeout=START_S * 1000)
        await page.wait_for_selector(".card, .badges .empty")
        return page

    yield open_it
    for context in contexts:
        await context.close()
    assert browser_log.errors == []

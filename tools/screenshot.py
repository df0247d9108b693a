"""Take the README's pictures of the page: of an example game, or of a demo that is running.

    python tools/screenshot.py                                 the example game of tests/tent
    python tools/screenshot.py --address http://127.0.0.1:8765/ a running `redband demo`

Writes page-en.png and page-ru.png to docs/images. Chromium is Debian's; the window is a laptop's.
"""

import argparse
import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from playwright.async_api import Browser, Error, async_playwright  # noqa: E402
from tests.support.browser import CHROMIUM, FLAGS, LAPTOP, START_S, serving  # noqa: E402
from tests.support.example_field import ExampleField  # noqa: E402

from redband.errors import RedbandUserError  # noqa: E402
from redband.tent import create_app  # noqa: E402

LANGUAGES = ("en", "ru")


@contextlib.asynccontextmanager
async def page_address(given: str | None) -> AsyncIterator[str]:
    """Give the address of the page to take: the given one, or that of an example game."""
    if given is not None:
        yield given
        return
    async with serving(create_app(ExampleField(), "Skirmish at the old mill")) as address:
        yield address


async def take(browser: Browser, address: str, language: str, path: Path) -> None:
    """Take one picture, at a moment when every lamp that ever lights is lit."""
    page = await browser.new_page(viewport=LAPTOP, device_scale_factor=1.25)
    await page.goto(f"{address}?lang={language}", timeout=START_S * 1000)
    await page.wait_for_selector(".link-live .card", timeout=START_S * 1000)
    # Every pattern begins with light (redband_core.led), so phase 1 ms shows them all.
    await page.evaluate("""() => document.getAnimations().forEach((blinking) => {
        blinking.pause();
        blinking.currentTime = 1;
    })""")
    await page.screenshot(path=path)
    await page.close()


async def main(given: str | None, directory: Path) -> None:
    """Write both pictures to `directory`. Raises RedbandUserError when there is no page."""
    async with page_address(given) as address, async_playwright() as playwright:
        try:
            browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            for language in LANGUAGES:
                path = directory / f"page-{language}.png"
                await take(browser, address, language, path)
                print(path)
        except Error as error:
            raise RedbandUserError(
                f"no picture of {address}: {error.message.splitlines()[0]}; "
                "is Chromium installed and the demo running?"
            ) from error


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Take the pictures of the page for the README.")
    parser.add_argument("--address", help="of a running demo's page; without it an example game")
    parser.add_argument("--directory", type=Path, default=ROOT / "docs" / "images")
    options = parser.parse_args()
    options.directory.mkdir(parents=True, exist_ok=True)
    try:
        asyncio.run(main(options.address, options.directory))
    except RedbandUserError as error:
        sys.exit(f"{parser.prog}: {error}")

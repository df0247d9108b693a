"""The page for everyone: no internet, a phone, a keyboard, the sun, a hostile name."""

from urllib.parse import urlsplit

import pytest
from playwright.async_api import expect
from tests.support.browser import CONTRASTS, card
from tests.support.example_field import event

from redband.overview.rows import Text

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_everything_comes_from_this_computer(open_page, address, browser_log):
    page = await open_page()
    await page.locator(".theme").click()
    await card(page, 1).locator(".do-press").click()
    await expect(card(page, 1).locator(".hits-text")).to_have_text("2 / 3")
    asked = {urlsplit(url) for url in browser_log.requests}
    assert len(asked) > 5
    assert {url.netloc for url in asked if url.scheme != "data"} == {urlsplit(address).netloc}


async def test_the_browser_refuses_what_would_come_from_elsewhere(open_page, address, browser_log):
    page = await open_page()
    blocked = await page.evaluate(
        """(url) => new Promise((resolve) => {
            document.addEventListener("securitypolicyviolation", (e) => resolve(e.blockedURI));
            new Image().src = url;
        })""",
        address.replace("127.0.0.1", "127.0.0.2") + "favicon.ico",
    )
    assert "127.0.0.2" in blocked
    (complaint,) = browser_log.errors
    assert "Content Security Policy" in complaint
    browser_log.errors.clear()


@pytest.mark.parametrize("query", ["?lang=en", "?lang=ru"])
@pytest.mark.parametrize("width", [320, 390])
async def test_a_phone_scrolls_only_downwards(open_page, field, query, width):
    field.change(2, player="Ratibor-of-the-Very-Long-Name-that-Nobody-Shortened")
    field.change(3, flags=31, hits_max=12, hits=12, problem="x" * 60)
    page = await open_page(query, {"width": width, "height": 844})
    assert await page.evaluate("document.documentElement.scrollWidth") <= width
    boxes = await page.locator(".card, .action, .log li").evaluate_all(
        "(all) => all.map((e) => e.getBoundingClientRect()).map((b) => [b.left, b.right])"
    )
    assert len(boxes) > 40
    assert all(left >= 0 and right <= width for left, right in boxes)
    spills = await page.locator(".card").evaluate_all(
        "(all) => all.filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.innerText)"
    )
    assert spills == []
    heights = await page.locator(".action").evaluate_all("(all) => all.map((e) => e.offsetHeight)")
    assert min(heights) >= 44


async def test_the_keyboard_reaches_every_button(open_page, field):
    page = await open_page()
    reached = []
    for _ in range(60):
        await page.keyboard.press("Tab")
        reached.append(await page.evaluate("document.activeElement.className"))
        if reached[-1] == "action do-press":
            break
    assert reached[0] == "skip"
    assert reached.count("theme") == 1
    assert sum(name == "group" for name in reached) == 8
    await page.keyboard.press("Enter")
    await expect(card(page, 1).locator(".hits-text")).to_have_text("2 / 3")
    outline = await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"


async def test_markup_in_a_name_stays_text(open_page, field):
    name = "<img src=x onerror=alert(1)>`${1}`"
    field.change(1, player=name, state=Text(name, name), **event((name, name)))
    page = await open_page()
    await expect(card(page, 1).locator(".who")).to_have_text("1" + name)
    await expect(page.locator(".redband img")).to_have_count(0)


async def test_a_lost_connection_is_said_and_mended(open_page, field):
    page = await open_page("?lang=ru")
    await page.evaluate("window.socket.disconnect()")
    await expect(page.locator(".link")).to_have_text("Связь потеряна: данные устарели")
    field.change(1, hits=1)
    await page.evaluate("window.socket.connect()")
    await expect(page.locator(".link")).to_have_text("На связи")
    await expect(card(page, 1).locator(".hits-text")).to_have_text("1 / 3")


async def test_day_colours_are_remembered(open_page):
    page = await open_page()
    await expect(page.locator("html")).to_have_attribute("data-theme", "night")
    await page.locator(".theme").click()
    await expect(page.locator("html")).to_have_attribute("data-theme", "day")
    await page.reload()
    await expect(page.locator("html")).to_have_attribute("data-theme", "day")


@pytest.mark.parametrize("theme", ["night", "day"])
async def test_small_print_has_contrast(open_page, theme):
    """WCAG AA asks for 4.5 to 1; read in the sun and in the dark."""
    page = await open_page()
    if theme == "day":
        await page.locator(".theme").click()
    ratios = await page.evaluate(
        CONTRASTS,
        ".who, .number, .state, .timer-for, .lights, .event, .age, .battery, .link, .synced, "
        ".unsynced, .action, .log time, .log-what, .log h2, .brand p, .group, .languages a",
    )
    assert len(ratios) > 100
    assert [pair for pair in ratios if pair[0] < 4.5] == []


async def test_who_asks_for_less_motion_gets_a_still_lamp(open_page):
    page = await open_page(reduced_motion="reduce")
    lamp = card(page, 3).locator(".face .lamp-red .lit")
    states = await lamp.evaluate("(e) => e.getAnimations().map((a) => a.playState)")
    assert states == ["paused"]
    await expect(card(page, 3).locator(".lights")).to_have_text("red: fast blink · vibrates")

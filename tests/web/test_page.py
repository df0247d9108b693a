"""The page in a real browser: what a game master sees."""

from urllib.parse import urlsplit

import pytest
from playwright.async_api import expect
from redband_core import led

from tests.web.conftest import PHONE
from tests.web.example_field import event, row, timer

pytestmark = pytest.mark.asyncio(loop_scope="session")


CONTRASTS = """(selector) => {
    const light = (rgb) => rgb.map((v) => v / 255)
        .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
    const parse = (text) => text.match(/[\\d.]+/g).map(Number);
    const behind = (e) => {
        for (; e; e = e.parentElement) {
            const color = parse(getComputedStyle(e).backgroundColor);
            if (color.length === 3 || color[3] === 1) return color.slice(0, 3);
        }
    };
    return [...document.querySelectorAll(selector)].map((e) => {
        const pair = [light(parse(getComputedStyle(e).color).slice(0, 3)), light(behind(e))];
        pair.sort((a, b) => b - a);
        return [(pair[0] + 0.05) / (pair[1] + 0.05), e.className || e.tagName];
    });
}"""
"""Gives (contrast, class) of each element selected, as WCAG 2 defines it."""


def card(page, badge_id: int):
    return page.locator(f'.card[data-badge="{badge_id}"]')


async def test_a_row_says_all_that_is_known_of_a_badge(open_page, field):
    field.change(2, flags=2 | 16, problem="journal and advert disagree")
    page = await open_page()
    await expect(page.locator(".card")).to_have_count(9)
    ratibor = card(page, 2)
    for part, text in (
        (".who", "2Ratibor"),
        (".state", "Wounded"),
        (".hits-text", "1 / 3"),
        (".lights", "red: double flash"),
        (".event", "Hit (1 from sensor)"),
        (".age", "heard now"),
        (".battery", "Battery71 %"),
        (".unsynced", "2 to sync"),
    ):
        await expect(ratibor.locator(part)).to_have_text(text)
    await expect(ratibor.locator(".pip")).to_have_count(3)
    await expect(ratibor.locator(".pip.is-left")).to_have_count(1)
    await expect(ratibor.locator(".warning")).to_have_text(
        ["input stuck", "fault", "journal and advert disagree"]
    )
    await expect(card(page, 3).locator(".timer-for")).to_have_text("until death")
    await expect(page.locator("h1")).to_have_text("Skirmish at the old mill")
    await expect(page).to_have_title("Skirmish at the old mill")


async def test_a_silent_badge_is_never_called_gone(open_page):
    page = await open_page()
    await expect(card(page, 6).locator(".age")).to_have_text("seen 25 s ago")
    await expect(card(page, 6).locator(".age")).to_have_text("seen 26 s ago")
    assert "gone" not in (await page.inner_text("body")).lower()


async def test_a_badge_that_was_never_heard_says_so(open_page, field):
    field.put([row(5, "Gleb", "healthy", None, last_seen_s=None, battery_pct=None)])
    page = await open_page()
    await expect(card(page, 5).locator(".age")).to_have_text("not heard yet")
    await expect(card(page, 5).locator(".hits-text")).to_have_text("Hits: ? / 3")


async def test_lamps_carry_the_pattern_of_the_badge(open_page):
    page = await open_page()
    wolf = card(page, 3)
    await expect(wolf.locator(".face .lamp-red")).to_have_class("lamp lamp-red led-fast_blink")
    await expect(wolf.locator(".face .lamp-green")).to_have_class("lamp lamp-green led-off")
    await expect(wolf.locator(".armband")).to_have_class("lamp lamp-red led-fast_blink armband")
    await expect(wolf.locator(".face")).to_have_class("face is-shaking")
    scout = card(page, 9)
    await expect(scout.locator(".face .lamp-red")).to_have_class("lamp lamp-red")
    await expect(scout.locator(".lights")).to_have_text("battery out")


@pytest.mark.parametrize("pattern", range(len(led.PATTERN_NAMES)))
async def test_a_lamp_is_lit_exactly_when_the_badges_lamp_is(open_page, field, pattern):
    field.change(1, red_pattern=pattern)
    page = await open_page()
    phases = list(range(5, 2 * (led.cycle_ms(pattern) or 500), 10))
    shown = (
        await card(page, 1)
        .locator(".face .lamp-red .lit")
        .evaluate(
            """(lamp, phases) => phases.map((phase) => {
            for (const blinking of lamp.getAnimations()) {
                blinking.pause();
                blinking.currentTime = phase;
            }
            return Number(getComputedStyle(lamp).opacity);
        })""",
            phases,
        )
    )
    assert shown == [led.level(pattern, phase_ms) for phase_ms in phases]


async def test_a_timer_counts_down_between_messages(open_page, field):
    page = await open_page()
    countdown = card(page, 3).locator(".countdown")
    await expect(countdown).to_have_text("12:33")
    field.change(3, **timer(4000, "until death", "до смерти"))
    await expect(countdown).to_have_text("1:06:39")
    field.change(3, is_powered=False)
    await expect(card(page, 3).locator(".timer")).to_have_class("timer is-frozen")
    await expect(countdown).to_have_text("1:06:40")
    field.change(4, **timer(600, "of rest", "отдыха"))
    await expect(card(page, 4).locator(".countdown")).to_have_text("9:59")
    assert await countdown.inner_text() == "1:06:40"


async def test_buttons_reach_the_field(open_page, field):
    page = await open_page()
    for action in ("press", "shake", "hold", "pull"):
        await card(page, 4).locator(f".do-{action}").click()
    await expect(card(page, 4).locator(".do-restore")).to_be_visible()
    await expect(card(page, 4).locator("button")).to_have_count(1)
    await card(page, 4).locator(".do-restore").click()
    await expect(card(page, 4).locator(".do-press")).to_be_visible()
    wanted = ["press", "shake", "hold", "pull", "restore"]
    assert field.done == [(action, 4) for action in wanted]


async def test_a_hit_shows_on_the_card_and_in_the_log(open_page):
    page = await open_page()
    await card(page, 1).locator(".do-press").click()
    await expect(card(page, 1).locator(".hits-text")).to_have_text("2 / 3")
    await expect(card(page, 1).locator(".event")).to_have_text("Hit (1 from button)")
    await expect(page.locator(".log li")).to_have_count(12)
    await expect(page.locator(".log-what").first).to_have_text("Marfa hit (1 from button)")


async def test_twelve_quick_clicks_are_twelve_hits(open_page, field):
    page = await open_page()
    button = card(page, 1).locator(".do-press")
    await button.evaluate("(b) => { for (let i = 0; i < 12; i++) b.click(); }")
    await expect(page.locator(".log li")).to_have_count(23)
    assert field.done == [("press", 1)] * 12


async def test_what_cannot_be_done_is_said_in_a_sentence(open_page, field):
    page, other = await open_page(), await open_page()
    field.refusal = "Badge 2 has no battery; put it back first."
    await card(page, 2).locator(".do-press").click()
    await expect(page.get_by_role("alert")).to_have_text(field.refusal)
    (contrast, _), *_ = await page.evaluate(CONTRASTS, ".q-notification__message")
    assert contrast > 7
    await expect(other.get_by_role("alert")).to_have_count(0)


async def test_a_forged_action_does_not_reach_the_field(open_page, field):
    page = await open_page()
    await page.evaluate("""() => {
        const board = getElement(document.querySelector(".redband"));
        board.$emit("act", { action: "__class__", badge_id: 1 });
        board.$emit("act", { action: "press", badge_id: "1" });
        board.$emit("act", { action: ["press"], badge_id: 1 });
        board.$emit("act", "press");
    }""")
    await card(page, 1).locator(".do-press").click()
    await expect(card(page, 1).locator(".hits-text")).to_have_text("2 / 3")
    assert field.done == [("press", 1)]


async def test_without_a_virtual_field_there_are_no_buttons(open_page, field):
    field.has_controls = False
    page = await open_page()
    await expect(page.locator(".card")).to_have_count(9)
    await expect(page.locator(".card button")).to_have_count(0)


async def test_the_language_is_switched_and_remembered(open_page):
    page = await open_page()
    await expect(card(page, 3).locator(".state")).to_have_text("Dying")
    await page.locator('.languages a[lang="ru"]').click()
    await expect(card(page, 3).locator(".state")).to_have_text("При смерти")
    await expect(card(page, 3).locator(".timer-for")).to_have_text("до смерти")
    await expect(card(page, 6).locator(".age")).to_contain_text("назад")
    await expect(page.locator("html")).to_have_attribute("lang", "ru")
    await page.goto(urlsplit(page.url)._replace(query="").geturl())
    await expect(card(page, 3).locator(".state")).to_have_text("При смерти")
    await page.locator('.languages a[lang="en"]').click()
    await expect(card(page, 3).locator(".state")).to_have_text("Dying")


async def test_two_browsers_see_one_game_each_in_its_language(open_page, field):
    english = await open_page()
    russian = await open_page("?lang=ru", PHONE)
    await card(english, 1).locator(".do-shake").click()
    await expect(card(russian, 1).locator(".event")).to_have_text("Попадание (1, датчик)")
    await expect(card(english, 1).locator(".event")).to_have_text("Hit (1 from sensor)")
    await card(russian, 1).locator(".do-pull").click()
    await expect(card(english, 1).locator(".do-restore")).to_be_visible()
    assert field.done == [("shake", 1), ("pull", 1)]


async def test_one_changed_badge_of_forty_redraws_one_card(open_page, field):
    field.put([row(number, f"Player {number}", "healthy", 3) for number in range(1, 41)])
    page = await open_page()
    await expect(page.locator(".card")).to_have_count(40)
    await page.evaluate("""() => {
        window.touched = new Set();
        new MutationObserver((changes) => changes.forEach((change) => {
            const { target } = change;
            const node = target.nodeType === 1 ? target : target.parentElement;
            touched.add(node.closest("[data-badge]")?.dataset.badge ?? node.className);
        })).observe(document.querySelector(".field"),
                    { subtree: true, childList: true, characterData: true, attributes: true });
    }""")
    field.change(17, hits=2, **event(("hit", "попадание")))
    await expect(card(page, 17).locator(".hits-text")).to_have_text("2 / 3")
    assert await page.evaluate("[...touched]") == ["17"]


async def test_badges_come_and_go_in_the_views_order(open_page, field):
    page = await open_page()
    field.put([row(30, "Late", "healthy", 3), row(2, "Ratibor", "wounded", 1)])
    await expect(page.locator(".card .who")).to_have_text(["30Late", "2Ratibor"])
    field.put([])
    await expect(page.locator(".badges .empty")).to_contain_text("No badge has been heard yet")


async def test_the_header_counts_by_state_and_filters(open_page):
    page = await open_page()
    wounded = page.locator('.group[data-state="wounded"]')
    await expect(wounded).to_have_text("3Wounded")
    await expect(page.locator(".heard")).to_have_text("7 / 9 badges heard")
    await expect(page.locator(".sync")).to_have_text("3 to sync")
    await wounded.click()
    await expect(page.locator(".card")).to_have_count(3)
    await wounded.click()
    await expect(page.locator(".card")).to_have_count(9)


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
    field.change(3, flags=31, max_hits=12, hits=12, problem="x" * 60)
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
    field.change(1, player=name, state_en=name, **event((name, name)))
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

"""The page in a real browser: what a game master sees."""

import dataclasses
from urllib.parse import urlsplit

import pytest
from playwright.async_api import expect
from tests.support.browser import CONTRASTS, PHONE, card
from tests.support.example_field import event, row, seen, timer

from redband.overview.rows import led_views
from redband.store.restarts import Restarts
from redband_core import led

pytestmark = pytest.mark.asyncio(loop_scope="session")


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


async def test_restarts_are_counted_and_a_pause_is_said(open_page, field):
    restarts = Restarts(power=3, in_timer=1)
    field.change(3, restarts=restarts, is_paused=True)
    field.lines.insert(0, dataclasses.replace(field.lines[0], is_time_known=False))
    page = await open_page()
    dying = card(page, 3)
    await expect(dying.locator(".restarts")).to_have_text("restarts: 3")
    await expect(dying.locator(".restarts")).to_have_attribute("title", restarts.told("en"))
    await expect(dying.locator(".warning")).to_have_text(
        ["game paused", "restarted while a timer ran: 1"]
    )
    await expect(dying.locator(".timer.is-frozen")).to_have_count(1)
    await expect(card(page, 2).locator(".restarts")).to_have_count(0)
    await expect(page.locator(".log time").first).to_have_text("?")
    russian = await open_page("?lang=ru")
    await expect(card(russian, 3).locator(".warning")).to_have_text(
        ["игра на паузе", "перезапуск во время таймера: 1"]
    )


async def test_a_silent_badge_is_never_called_gone(open_page):
    page = await open_page()
    await expect(card(page, 6).locator(".age")).to_have_text("seen 25 s ago")
    await expect(card(page, 6).locator(".age")).to_have_text("seen 26 s ago")
    assert "gone" not in (await page.inner_text("body")).lower()


async def test_a_badge_that_was_never_heard_says_so(open_page, field):
    field.put([row(5, "Gleb", "healthy", None, **seen(None), battery_pct=None)])
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
    field.change(1, leds=led_views((pattern, led.OFF, led.OFF)))
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


async def test_a_real_emergency_stands_on_top_whatever_is_chosen(open_page, field):
    page = await open_page()
    await expect(page.locator(".alarm")).to_have_count(0)
    await page.locator(".group", has_text="Wounded").click()
    field.change(8, is_emergency=True)
    alarm = page.locator(".alarm")
    await expect(alarm).to_contain_text("EMERGENCY: real, not the game")
    await expect(alarm.locator(".alarm-who")).to_have_text(["8Nadezhda"])
    await expect(page.locator(".card").first.locator(".who")).to_have_text("8Nadezhda")
    await page.mouse.wheel(0, 3000)
    await expect(alarm).to_be_in_viewport()
    russian = await open_page("?lang=ru")
    await expect(russian.locator(".alarm")).to_contain_text("8Nadezhda")
    field.change(8, is_emergency=False)
    await expect(alarm).to_have_count(0)


async def test_a_word_to_all_badges_takes_two_presses(open_page, field):
    page = await open_page()
    stop = page.locator(".say-stop")
    await expect(stop).to_have_text("Stop the game")
    await stop.click()
    await expect(stop).to_have_text("Stop the game: press again")
    assert field.said == []
    await page.locator(".say-resume").click()
    await expect(stop).to_have_text("Stop the game")
    await page.locator(".say-resume").click()
    await stop.click()
    await stop.click()
    await expect(card(page, 2).locator(".warning.is-pause")).to_have_text("game paused")
    assert field.said == ["resume", "stop"]


async def test_a_view_that_cannot_speak_to_all_offers_no_such_button(open_page, field):
    field.broadcasts = ()
    page = await open_page()
    await expect(page.locator(".card")).to_have_count(9)
    await expect(page.locator(".broadcast")).to_have_count(0)

"""redband_core.light_show: one order, a rhythm for each thing, and none that needs colour."""

import unittest

from redband_core import led, light_show, limits, tap
from redband_core.ruleset import Ruleset

TAP_LIGHTS = (tap.CALLING, tap.ACCEPTED, tap.REFUSED, tap.COME_CLOSER, tap.NO_ANSWER)
TAP_LIGHTS += tuple([tap.picked(number) for number in range(1, 10)])
DATA = "/".join(__file__.split("/")[:-1] + ["data"])
RULESETS = ("hits", "wounds", "hospital", "wounds_hospital", "unconscious")
STEP_MS = 10
HEALTHY = ((led.OFF, led.SHORT_FLASH, led.OFF), (led.STEADY, led.OFF, led.OFF))
CODES = range(1, 10)


class State:
    """What the show reads of a badge's state."""

    def __init__(self, **changes):
        self.signal = 0
        self.acknowledged = 0
        self.identified = 0
        self.lights_once = b""
        self.lights_once_count = 0
        self.code = 0
        self.is_emergency = False
        self.is_off_warned = False
        self.is_paused = False
        self.is_saving = False
        self.is_critical = False
        self.brightness_pct = 100
        for name in changes:
            setattr(self, name, changes[name])


def shown(state, duration_ms, signals=HEALTHY, from_ms=0):
    """Return the levels of each 10 ms, as the LED task would set them: at each change only."""
    show = light_show.LightShow(signals)
    show.follow(State(signal=-1), 0)
    levels = bytearray()
    now_ms = from_ms
    while now_ms < from_ms + duration_ms:
        show.follow(state, now_ms)
        level, stays_ms = show.frame(now_ms)
        if not 1 <= stays_ms <= limits.LED_REFRESH_MS:
            raise AssertionError(stays_ms)
        for at_ms in range(now_ms, now_ms + stays_ms):
            if at_ms % STEP_MS == 0:
                levels.append(level)
        now_ms += stays_ms
    return bytes(levels[: duration_ms // STEP_MS])


def light(levels):
    """Return what is left without colour and without lamps that can be told apart."""
    return bytes([1 if level & 3 else 0 for level in levels])


def flashes_of(levels):
    """Return (on, off) lengths in ms of each flash but the cut ones at the ends."""
    runs = []
    for level in light(levels):
        if runs and runs[-1][0] == level:
            runs[-1][1] += STEP_MS
        else:
            runs.append([level, STEP_MS])
    return [(runs[i][1], runs[i + 1][1]) for i in range(len(runs) - 1) if runs[i][0]]


def longest_run(levels, value):
    """Return the ms of the longest run of `value`, seen as a ring."""
    longest = run = 0
    for level in levels + levels:
        run = run + STEP_MS if level == value else 0
        longest = max(longest, run)
    return min(longest, len(levels) * STEP_MS)


def look(levels):
    """Return what an eye takes from a rhythm: flashes, ms of light, longest light and dark."""
    found = light(levels)
    starts = sum([1 for i in range(len(found)) if found[i] and not found[i - 1]])
    return starts, sum(found) * STEP_MS, longest_run(found, 1), longest_run(found, 0)


def is_clear(one, other):
    """Return whether two rhythms differ by a quarter in count, or by half in anything else."""
    few, many = sorted((one[0], other[0]))
    if many * 4 >= few * 5 and many > few:
        return True
    for index in range(1, len(one)):
        less, more = sorted((one[index], other[index]))
        if more * 2 > less * 3:
            return True
    return False


def shipped_signals():
    """Return {signal's patterns: name of the ruleset} of all that is shipped."""
    found = {}
    for name in RULESETS:
        with open(DATA + "/" + name + ".bin", "rb") as file:
            for patterns in Ruleset.from_bytes(file.read()).signals:
                found[tuple(patterns)] = name
    return found


DARK = ((led.OFF, led.OFF, led.OFF),)


def once(lights):
    """Return a state whose badge answers to a tap."""
    return State(lights_once=lights, lights_once_count=1)


WINDOW_MS = 204000  # whole cycles of all that repeats: 1, 1.5, 2, 4 and 6.8 s


class Rhythms(unittest.TestCase):
    def test_what_stands_over_the_state_is_told_from_every_shipped_signal_without_colour(self):
        looks = {}
        names = ("is_emergency", "identified", "is_off_warned", "is_paused")
        identify_ms, limits.IDENTIFY_MS = limits.IDENTIFY_MS, WINDOW_MS
        for name in names:
            looks[name] = look(shown(State(**{name: 1}), WINDOW_MS))
        limits.IDENTIFY_MS = identify_ms
        signals = shipped_signals()
        self.assertTrue(len(signals) > 12)
        for patterns in signals:
            looks[patterns] = look(shown(State(), WINDOW_MS, (patterns,)))
        for name in names:
            for other in looks:
                if other != name:
                    self.assertTrue(is_clear(looks[name], looks[other]), (name, other))

    def test_signals_of_a_ruleset_differ_in_rhythm_or_in_the_number_of_lamps(self):
        # The rules' explorer refuses a ruleset that breaks this, but for what the file accepts:
        # `heavy` and `armband` of the wounds are one light, and the armband tells them apart.
        for name in RULESETS:
            with open(DATA + "/" + name + ".bin", "rb") as file:
                signals = Ruleset.from_bytes(file.read()).signals
            seen = {}
            for patterns in signals:
                lamps = tuple(sorted([code for code in patterns[:2] if code != led.OFF]))
                self.assertTrue(lamps not in seen or seen[lamps] == tuple(patterns), name)
                seen[lamps] = tuple(patterns)

    def test_a_code_is_counted_without_colour_and_no_two_are_alike(self):
        for code in CODES:
            levels = shown(State(code=code), limits.CODE_PERIOD_MS, ((led.STEADY, led.OFF, 0),))
            flashes = flashes_of(levels)
            self.assertEqual(len(flashes), code)
            for on_ms, off_ms in flashes[:-1]:
                self.assertEqual((on_ms, off_ms), (300, 150))
            self.assertEqual(levels.count(bytes([light_show.GREEN])), code * 15)
            # Dark before and after it, and then the state's own light for most of the time.
            self.assertEqual(light(levels)[:15], bytes(15))
            self.assertTrue(sum(light(levels)[-300:]) == 300)

    def test_a_low_battery_is_four_quick_flashes_and_no_code(self):
        state = State(is_saving=True)
        levels = shown(state, limits.BATTERY_MARK_PERIOD_MS, ((led.OFF, led.OFF, led.OFF),))
        flashes = flashes_of(levels)
        self.assertEqual(flashes, [(60, 140)] * 3 + [(60, flashes[3][1])])
        steady = shown(state, limits.BATTERY_MARK_PERIOD_MS, ((led.STEADY, led.OFF, led.OFF),))
        self.assertEqual(sum(light(steady)) * STEP_MS, limits.BATTERY_MARK_PERIOD_MS - 1360)

    def test_code_and_battery_mark_never_meet(self):
        for code in CODES:
            state = State(code=code, is_saving=True)
            levels = shown(state, 2 * limits.BATTERY_MARK_PERIOD_MS, ((0, 0, 0),))
            flashes = [on_ms for on_ms, _off_ms in flashes_of(levels)]
            # One period holds two codes and one mark; the last flash of all may be cut.
            self.assertTrue(abs(flashes.count(300) - 4 * code) <= 1)
            self.assertEqual(flashes.count(60), 8)
            self.assertEqual(len(flashes), flashes.count(300) + 8)

    def test_every_flash_is_long_enough_to_see(self):
        for sequence in (
            light_show.EMERGENCY,
            light_show.OFF_WARNING,
            light_show.IDENTIFY,
            light_show.PAUSED,
            light_show.LOW_BATTERY,
            light_show.CODE_BEGIN,
            light_show.CODE_FLASH,
        ) + TAP_LIGHTS:
            for index in range(0, len(sequence), 2):
                self.assertTrue(sequence[index] * light_show.UNIT_MS >= 60)

    def test_answers_to_a_tap_are_told_from_each_other_without_colour(self):
        looks = [look(shown(once(lights), 8000, DARK)) for lights in TAP_LIGHTS[1:]]
        for index, one in enumerate(looks):
            for other in looks[index + 1 :]:
                self.assertTrue(is_clear(one, other) or one[0] != other[0], (one, other))

    def test_picked_number_is_counted_in_flashes(self):
        for number in range(1, 10):
            levels = shown(once(tap.picked(number)), 8000, DARK)
            self.assertEqual(len(flashes_of(levels)), number)

    def test_call_for_a_medic_is_told_from_what_stands_over_the_state_and_from_every_signal(self):
        calling = look(shown(once(tap.CALLING * 204), WINDOW_MS, DARK))
        for name in ("is_emergency", "is_off_warned", "is_paused"):
            self.assertTrue(is_clear(calling, look(shown(State(**{name: 1}), WINDOW_MS))), name)
        for patterns in shipped_signals():
            other = look(shown(State(), WINDOW_MS, (patterns,)))
            self.assertTrue(is_clear(calling, other), patterns)

    def test_emergency_is_SOS_in_morse(self):
        flashes = flashes_of(shown(State(is_emergency=True), 2 * 6800))
        lengths = [on_ms for on_ms, _off_ms in flashes[:9]]
        self.assertEqual(lengths, [200] * 3 + [600] * 3 + [200] * 3)
        gaps = [off_ms for _on_ms, off_ms in flashes[:9]]
        self.assertEqual(gaps, [200, 200, 600, 200, 200, 600, 200, 200, 1400])


class Order(unittest.TestCase):
    """Each thing alone, and then with everything below it."""

    ALL = {
        "is_emergency": True,
        "is_off_warned": True,
        "is_paused": True,
        "code": 3,
        "is_saving": True,
    }

    def test_each_outranks_all_below(self):
        rest = dict(self.ALL)
        for name in ("is_emergency", "is_off_warned", "is_paused"):
            alone = shown(State(**{name: True}), 20000)
            self.assertEqual(shown(State(**rest), 20000), alone, name)
            del rest[name]
        # The code and the battery's mark share the time, and the signal has what is left.
        both = shown(State(**rest), 16000)
        code = shown(State(code=3), 16000)
        mark_at, mark_for = limits.BATTERY_MARK_AT_MS // STEP_MS, 160
        self.assertEqual(both[:mark_at], code[:mark_at])
        self.assertEqual(both[mark_at + mark_for :], code[mark_at + mark_for :])
        self.assertTrue(both[mark_at : mark_at + mark_for] != code[mark_at : mark_at + mark_for])

    def test_staff_sees_which_badge_it_is_for_ten_seconds_and_an_emergency_goes_on(self):
        asked = shown(State(identified=1, is_paused=True, code=3), 30000)
        end = limits.IDENTIFY_MS // STEP_MS
        self.assertEqual(asked[:70], bytes([3]) * 70)
        lengths = [on_ms for on_ms, _off_ms in flashes_of(asked[end + 100 :])]
        self.assertEqual(set(lengths), {400})
        alone = shown(State(is_emergency=True), 20000)
        self.assertEqual(shown(State(identified=1, is_emergency=True), 20000), alone)

    def test_answer_to_a_tap_is_shown_once_over_all_but_an_emergency_and_a_counted_input(self):
        for name in ("is_off_warned", "is_paused", "code", "is_saving", "is_emergency"):
            state = State(**{name: self.ALL[name]})
            alone = shown(state, 12000)
            state.lights_once, state.lights_once_count = tap.COME_CLOSER, 1
            both = shown(state, 12000)
            if name == "is_emergency":
                self.assertEqual(both, alone)
                continue
            self.assertEqual(both[30:80], bytes([3]) * 50)
            units = [tap.COME_CLOSER[index] for index in range(0, len(tap.COME_CLOSER), 2)]
            lights_ms = sum(units) * light_show.UNIT_MS
            self.assertTrue(set(both[lights_ms // STEP_MS + 200 :]) == set(alone[200:]))

    def test_a_counted_input_blinks_over_all_but_an_emergency(self):
        for name in ("is_off_warned", "is_paused", "code", "is_saving", "is_emergency"):
            show = light_show.LightShow(HEALTHY)
            show.follow(State(**{name: self.ALL[name]}), 0)
            show.follow(State(acknowledged=1, **{name: self.ALL[name]}), 1000)
            levels, stays_ms = show.frame(1000)
            is_blink = (levels, stays_ms) == (7, limits.ACKNOWLEDGE_MS)
            self.assertEqual(is_blink, name != "is_emergency")
            self.assertTrue(show.frame(1000 + limits.ACKNOWLEDGE_MS)[0] != 7)

    def test_heavy_wound_is_steady_red(self):
        levels = shown(State(signal=1), 60000)
        self.assertEqual(levels, bytes([light_show.RED]) * 6000)

    def test_signal_begins_anew_and_goes_on_after_a_pause(self):
        show = light_show.LightShow(((led.OFF, led.SLOW_BLINK, led.OFF),))
        show.follow(State(), 0)
        show.follow(State(is_paused=True), 700)
        self.assertEqual(show.frame(700)[0], 3)
        show.follow(State(), 2200)
        self.assertEqual(show.frame(2200), (light_show.GREEN, 300))

    def test_unknown_signal_is_dark(self):
        self.assertEqual(shown(State(signal=9), 1000), bytes(100))

    def test_everything_is_set_again_each_second(self):
        show = light_show.LightShow(((led.STEADY, led.OFF, led.OFF),))
        for changes in ({}, self.ALL, {"is_paused": True}, {"code": 9, "is_saving": True}):
            state = State(**changes)
            for now_ms in range(0, 30000, 37):
                show.follow(state, now_ms)
                self.assertTrue(1 <= show.frame(now_ms)[1] <= 1000)


class Brightness(unittest.TestCase):
    def test_as_set_or_less_on_a_low_battery(self):
        for brightness_pct, low_pct, critical_pct in ((100, 20, 5), (30, 20, 5), (10, 10, 5)):
            state = State(brightness_pct=brightness_pct)
            self.assertEqual(light_show.brightness_pct(state), brightness_pct)
            state.is_saving = True
            self.assertEqual(light_show.brightness_pct(state), low_pct)
            state.is_critical = True
            self.assertEqual(light_show.brightness_pct(state), critical_pct)

    def test_an_emergency_is_as_bright_as_can_be(self):
        state = State(brightness_pct=1, is_saving=True, is_critical=True, is_emergency=True)
        self.assertEqual(light_show.brightness_pct(state), 100)


if __name__ == "__main__":
    unittest.main()

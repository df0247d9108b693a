"""Edge lists of contacts, with the exact hits expected.

Made by hand after published measurements, not recorded by us: Ganssle, "A Guide to Debouncing"
(18 switches: 1.6 ms of bounce on average, 6.2 ms at most, one of 157 ms), the switches' data
sheets (10 ms at most), and the threads of PITFALLS R2, R7 and G8.

A row: (name, contact, edges, hits). edges: microseconds at which the contact changes, beginning
with closing. hits: (earliest, latest) ms of each hit that counts. Button hits are presses.
"""

BUTTON = "button"
IMPACT = "impact"


def _at(start_us, edges):
    return [start_us + edge_us for edge_us in edges]


def _press(start_us, down_us, closing=(), opening=()):
    """One press that bounces at `closing` after its start and `opening` after its end."""
    end_us = start_us + down_us
    return _at(start_us, (0,) + closing) + _at(end_us, (0,) + opening)


# Bounces, as edges after the first: an even number, so that the level stays what it became.
AVERAGE = (180, 420, 700, 1560)
WORST = (300, 900, 1400, 2600, 3100, 4700, 5100, 6200)
SLOW_SLOPE = (15, 32)  # a 50 us slope through the input stage's threshold
TEN_AT_RELEASE = (90, 400, 650, 1100, 1500, 1900, 2600, 3300)
ROUGH = (1200, 2100, 3900, 5200, 7400, 9800)

_MASHING = []
for _number in range(12):
    _MASHING += _press(200_000 + _number * 83_333, 40_000, AVERAGE, TEN_AT_RELEASE)

# Elastomer of a worn remote control: 157 ms until it stays closed.
_WORN = []
_at_us = 300_000
for _closed_us, _open_us in (
    (400, 3000),
    (900, 6000),
    (2500, 8000),
    (5000, 9000),
    (12_000, 7000),
    (9000, 11_000),
    (22_000, 5000),
    (31_000, 2000),
    (20_000, 3200),
):
    _WORN += [_at_us, _at_us + _closed_us]
    _at_us += _closed_us + _open_us
_WORN += [_at_us, _at_us + 200_000]

# Rain in the button: it never closes nor rests for long, for eight seconds.
_WET = []
_at_us = 500_000
_step = 0
while _at_us < 8_500_000:
    _closed_us, _open_us = 2000 + _step * 37 % 9000, 1000 + _step * 53 % 11_000
    _WET += [_at_us, _at_us + _closed_us]
    _at_us += _closed_us + _open_us
    _step += 1

_SPIKES = []
for _number in range(20):
    _SPIKES += [100_300 + _number * 100_000, 100_312 + _number * 100_000]
_SPIKE_BURST = []
for _number in range(30):
    _SPIKE_BURST += [400_150 + _number * 700, 400_156 + _number * 700]

# A spring in a tube after a blow: it touches at each swing, shorter and shorter.
_SPRING = []
_at_us = 400_000
for _closed_us in (3000, 2800, 2500, 2300, 1900, 1700, 1400, 1100, 700):
    _SPRING += [_at_us, _at_us + _closed_us]
    _at_us += 9500
_SPRING_TWICE = _SPRING + _at(900_000, [edge_us - 400_000 for edge_us in _SPRING])

BURSTS = (
    ("clean press", BUTTON, _press(300_000, 60_000), ((300, 300),)),
    ("average bounce", BUTTON, _press(300_400, 90_000, AVERAGE, AVERAGE), ((300, 300),)),
    ("worst bounce", BUTTON, _press(300_700, 90_000, WORST, WORST), ((300, 300),)),
    (
        "R2 ten edges at release",
        BUTTON,
        _press(300_000, 120_000, (), TEN_AT_RELEASE),
        ((300, 300),),
    ),
    ("R2 slow slope", BUTTON, _press(300_000, 100_000, SLOW_SLOPE, SLOW_SLOPE), ((300, 300),)),
    ("rough ten ms", BUTTON, _press(300_000, 100_000, ROUGH, ROUGH), ((300, 300),)),
    ("hold of 3 s", BUTTON, _press(300_000, 3_000_000, AVERAGE, TEN_AT_RELEASE), ((300, 300),)),
    (
        "hold of 3 s that crackles",
        BUTTON,
        sorted(
            _press(300_000, 3_000_000, WORST, WORST) + [1_700_000, 1_700_400, 2_100_000, 2_109_000]
        ),
        ((300, 300),),
    ),
    (
        "double tap",
        BUTTON,
        _press(300_000, 70_000, AVERAGE, AVERAGE) + _press(520_000, 65_000, WORST, AVERAGE),
        ((300, 300), (520, 520)),
    ),
    (
        "twelve presses a second",
        BUTTON,
        _MASHING,
        tuple([(200 + n * 1000 // 12, 200 + n * 1000 // 12 + 1) for n in range(12)]),
    ),
    ("tap of 5 ms", BUTTON, _press(300_200, 5000), ((300, 300),)),
    (
        "tap of 5 ms that bounces",
        BUTTON,
        _press(300_000, 5000, (400, 700), (300, 900)),
        ((300, 300),),
    ),
    ("worn elastomer", BUTTON, _WORN, ((300, 316),)),
    ("wet contact for 8 s", BUTTON, _WET, ((500, 500),)),
    ("R7 spikes each 100 ms", BUTTON, _SPIKES, ()),
    (
        "R7 spikes and a pulse of 30 ms",
        BUTTON,
        _SPIKES + _press(3_000_000, 30_000),
        ((3000, 3000),),
    ),
    ("R7 thirty spikes in a row", BUTTON, _SPIKE_BURST, ()),
    (
        "spike just before a press",
        BUTTON,
        [296_300, 296_320] + _press(300_000, 80_000, AVERAGE, AVERAGE),
        ((296, 300),),
    ),
    (
        "spikes while pressed and after",
        BUTTON,
        _press(300_000, 80_000) + [420_300, 420_310, 520_300, 520_330],
        ((300, 300),),
    ),
    ("G8 spring that rings", IMPACT, _SPRING, ((400, 400),)),
    ("G8 two blows half a second apart", IMPACT, _SPRING_TWICE, ((400, 400), (900, 900))),
    (
        "G8 two blows within the refractory time",
        IMPACT,
        _SPRING + _at(700_000, (0, 3000, 9000, 11_000)),
        ((400, 400),),
    ),
    ("spring touches for 1.5 ms", IMPACT, _press(400_000, 1500), ((400, 400),)),
    (
        "accelerometer that does not hold its pin",
        IMPACT,
        _at(400_300, (0, 5200, 7400, 10_400, 13_300, 14_800, 19_000, 19_744)),
        ((400, 400),),
    ),
    ("R7 spikes at the sensor", IMPACT, _SPIKES, ()),
    (
        "R7 spikes at the sensor and 30 ms",
        IMPACT,
        _SPIKES + _press(3_000_000, 30_000),
        ((3000, 3000),),
    ),
)

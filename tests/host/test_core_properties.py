"""Properties of the core's formats and filters, searched by hypothesis on CPython.

The same modules run on MicroPython against tables in tests/core.
"""

from hypothesis import given, settings
from hypothesis import strategies as st

from redband.wire import journal as wire_journal
from redband_core import hit_filter, journal, limits, packing
from redband_core.clock import TICKS_PERIOD, GameClock
from redband_core.errors import JournalCorrupt, ProtocolError
from redband_core.gestures import HOLD, PRESS, TAPS, TAPS_HOLD, Gestures
from redband_core.segment_reader import SegmentReader

SMALL = settings(max_examples=200, deadline=None)
RECORDS = st.lists(
    st.tuples(st.integers(1, 255), st.integers(0, 1 << 40), st.binary(max_size=40)), max_size=12
)
SEQS = st.integers(0, journal.SEQ_MAX - 20)


def segment_of(first_seq, base_ms, records):
    """Return (bytes, what scan must give)."""
    data = journal.encode_header(77, first_seq, base_ms)
    expected = []
    game_ms = base_ms
    for number, (kind, delta_ms, payload) in enumerate(records):
        data += journal.encode_record(first_seq + number, kind, delta_ms, payload)
        game_ms += delta_ms
        expected.append((first_seq + number, kind, game_ms, payload))
    return data, expected


# packing


@SMALL
@given(st.integers(0, packing.VARINT_MAX), st.binary(max_size=4))
def test_varint_round_trip_in_the_shortest_form(value, rest):
    buffer = bytearray()
    packing.put_varint(buffer, value)
    assert len(buffer) == max(1, -(-value.bit_length() // 7))
    reader = packing.Reader(bytes(buffer) + rest)
    assert reader.varint() == value
    assert reader.offset == len(buffer)


@SMALL
@given(st.integers(-packing.SIGNED_MAX, packing.SIGNED_MAX))
def test_signed_round_trip(value):
    buffer = bytearray()
    packing.put_signed(buffer, value)
    reader = packing.Reader(buffer)
    assert reader.signed() == value
    assert reader.at_end()


@SMALL
@given(st.binary(max_size=12))
def test_a_number_that_is_accepted_has_no_other_spelling(data):
    reader = packing.Reader(data)
    try:
        value = reader.varint()
    except ProtocolError:
        assert reader.offset == 0
        return
    buffer = bytearray()
    packing.put_varint(buffer, value)
    assert bytes(buffer) == data[: reader.offset]


@SMALL
@given(st.binary(max_size=20), st.lists(st.sampled_from(["u8", "u16", "u32", "signed"])))
def test_reading_any_bytes_raises_nothing_but_protocol_error(data, reads):
    reader = packing.Reader(data)
    for name in reads:
        before = reader.offset
        try:
            getattr(reader, name)()
        except ProtocolError:
            assert reader.offset == before
        assert reader.offset <= len(data)


# journal


@SMALL
@given(st.integers(0, 1 << 40), st.lists(st.integers(-(1 << 52), 1 << 52), max_size=8))
def test_events_round_trip(event_id, args):
    payload = journal.event_payload(event_id, args)
    assert journal.parse_event(payload) == (event_id, tuple(args))


@SMALL
@given(st.binary(max_size=30))
def test_parsing_any_payload_raises_nothing_but_protocol_error(payload):
    parsers = (
        journal.parse_event,
        wire_journal.parse_refused,
        journal.parse_boot,
        journal.parse_note,
    )
    for parse in parsers:
        try:
            parse(payload)
        except ProtocolError:
            continue


@SMALL
@given(SEQS, st.integers(0, 1 << 50), RECORDS)
def test_a_segment_round_trip(first_seq, base_ms, records):
    data, expected = segment_of(first_seq, base_ms, records)
    header, found, valid_length = journal.scan(data)
    assert (header.install_id, header.first_seq, header.base_ms) == (77, first_seq, base_ms)
    assert (found, valid_length) == (expected, len(data))


@settings(max_examples=400, deadline=None)
@given(SEQS, RECORDS, st.data())
def test_scan_never_invents_a_record(first_seq, records, data_source):
    """Cut, overwrite and extend at will: what scan gives is a prefix of what was written."""
    data, expected = segment_of(first_seq, 5, records)
    cut = data_source.draw(st.integers(0, len(data)))
    junk = data_source.draw(st.binary(max_size=40))
    rest = data_source.draw(st.sampled_from([data[cut + len(junk) :], b"", b"\0" * 50]))
    damaged = data[:cut] + junk + rest
    try:
        header, found, valid_length = journal.scan(damaged)
    except JournalCorrupt:
        return
    assert header == journal.decode_header(data)
    assert found == expected[: len(found)]
    assert damaged[:valid_length] == data[:valid_length]


@SMALL
@given(st.binary(max_size=200), st.integers(0, 5))
def test_scan_of_any_bytes_raises_nothing_but_journal_corrupt(data, mode):
    if mode:  # a valid header, so that the records are reached
        data = journal.encode_header(1, 2, 3) + data
    try:
        _, found, valid_length = journal.scan(data)
    except JournalCorrupt:
        return
    assert found == []
    assert valid_length <= len(data)


@SMALL
@given(SEQS, RECORDS, st.lists(st.integers(1, 60), min_size=1), st.integers(0, 600), st.binary())
def test_pieces_give_what_a_whole_scan_gives(first_seq, records, pieces, cut, junk):
    data, _ = segment_of(first_seq, 5, records)
    data = data[:cut] + junk
    reader = SegmentReader()
    found = []
    offset = number = 0
    while offset < len(data):
        size = pieces[number % len(pieces)]
        reader.feed(data[offset : offset + size])
        offset += size
        number += 1
        while (record := reader.next_record()) is not None:
            found.append(record)
    try:
        header, expected, valid_length = journal.scan(data)
    except JournalCorrupt:
        header, expected, valid_length = None, [], 0
    assert (reader.header, found, reader.valid_bytes) == (header, expected, valid_length)
    assert reader.pending_bytes == len(data) - valid_length


# clock


@SMALL
@given(
    st.integers(0, TICKS_PERIOD - 1),
    st.lists(st.integers(0, TICKS_PERIOD // 2 - 1), max_size=30),
)
def test_the_clock_shows_the_sum_of_the_time_that_passed(first_ticks_ms, steps_ms):
    clock = GameClock()
    clock.start(first_ticks_ms)
    ticks_ms, expected_ms = first_ticks_ms, 0
    for step_ms in steps_ms:
        ticks_ms = (ticks_ms + step_ms) % TICKS_PERIOD
        expected_ms += step_ms
        assert clock.update(ticks_ms) == expected_ms


# hit_filter and gestures


@SMALL
@given(
    st.lists(
        st.tuples(st.booleans(), st.integers(0, 12), st.integers(0, 60), st.integers(1, 60)),
        max_size=60,
    ),
    st.integers(0, 40),
    st.integers(0, 200),
)
def test_the_filter_never_counts_faster_than_the_refractory_time(
    samples, settle_ms, refractory_ms
):
    contact = hit_filter.HitFilter(settle_ms, refractory_ms, 1000)
    now_ms = 1000
    presses, last_code = [], hit_filter.RELEASE
    for is_active, edge_count, edge_age_ms, step_ms in samples:
        now_ms += step_ms
        code = contact.sample(is_active, edge_count, now_ms - min(edge_age_ms, step_ms), now_ms)
        if code == hit_filter.PRESS:
            assert contact.press_ms <= now_ms
            presses.append(contact.press_ms)
        if code == hit_filter.RELEASE:
            assert last_code == hit_filter.PRESS
        if code in (hit_filter.PRESS, hit_filter.RELEASE):
            last_code = code
    gaps = [later - earlier for earlier, later in zip(presses, presses[1:], strict=False)]
    assert all(gap >= refractory_ms for gap in gaps)
    assert contact.ignored_count + len(presses) <= len(samples)


@SMALL
@given(st.lists(st.tuples(st.integers(1, 2500), st.integers(1, 900)), max_size=40))
def test_each_press_is_reported_once_and_belongs_to_one_gesture_at_most(presses):
    gestures = Gestures()
    reports = []
    pressed = []

    def poll(until_ms):
        while (report := gestures.poll(until_ms)) is not None:
            reports.append(report)

    now_ms = 0
    for down_ms, up_ms in presses:
        now_ms += up_ms
        poll(now_ms)
        gestures.press(now_ms)
        pressed.append(now_ms)
        poll(now_ms)
        for _ in range(down_ms // 10):
            now_ms += 10
            poll(now_ms)
        gestures.release(now_ms)
    poll(now_ms + limits.TAP_GAP_MS)
    assert [first for code, _, first in reports if code == PRESS] == pressed
    claimed = []
    for code, count, first_ms in reports:
        if code != PRESS:
            begin = pressed.index(first_ms)
            claimed += pressed[begin : begin + count]
            assert code == HOLD or code in (TAPS + count, TAPS_HOLD + count - 1)
    assert len(claimed) == len(set(claimed))
    assert gestures.dropped_count == 0

"""The order in which fields were given never reaches a byte (R19): a dict has none on a badge."""

import binascii
import unittest

from redband_core import journal, settings_check

FIELDS = (("event", 1), ("n", 2), ("source", 1), ("t_ms", 61_234))
ARGS = ("n", "source")
VECTOR = b"0702b2de03010402dda9aec4"  # length, kind, delta, event, arguments, CRC of record 301
SETTINGS = (
    ("badge_id", 12),
    ("player", "Anna"),
    ("role", "medic"),
    ("radio", True),
    ("ruleset", "/ruleset.bin"),
    ("params", [3, 900000]),
)


def orders(fields):
    """Yield the fields in every order."""
    if len(fields) < 2:
        yield tuple(fields)
        return
    for index in range(len(fields)):
        for rest in orders(fields[:index] + fields[index + 1 :]):
            yield (fields[index],) + rest


def as_dict(fields):
    found = {}
    for name, value in fields:
        found[name] = value
    return found


class Order(unittest.TestCase):
    def test_R19_an_event_built_in_24_orders_is_the_same_bytes(self):
        seen = []
        count = 0
        for order in orders(FIELDS):
            count += 1
            event = as_dict(order)
            args = tuple([event[name] for name in ARGS])
            payload = journal.event_payload(event["event"], args)
            record = journal.encode_record(301, journal.EVENT, event["t_ms"], payload)
            if record not in seen:
                seen.append(record)
        self.assertEqual(count, 24)
        self.assertEqual([binascii.hexlify(record) for record in seen], [VECTOR])

    def test_R19_settings_in_720_orders_are_the_same_values(self):
        seen = []
        for order in orders(SETTINGS):
            values = settings_check.check(as_dict(order))
            if values not in seen:
                seen.append(values)
        self.assertEqual(len(seen), 1)
        self.assertEqual((seen[0].badge_id, seen[0].params), (12, (3, 900000)))


if __name__ == "__main__":
    unittest.main()

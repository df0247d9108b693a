"""Stack code of formulas: what is refused, what it gives, the same on both Pythons."""

import unittest

from redband_core import expression as code
from redband_core.errors import RulesError
from redband_core.expression import evaluate
from redband_core.expression_reader import check, prepare

VALUES = [0, 1, -1, 7, -7, 3, 1 << 40, -(1 << 40)]


def no_timer(_track):
    return -1


def run(*items):
    """Check and evaluate a code over VALUES."""
    data = bytes(items)
    check(data, len(VALUES))
    return evaluate(prepare(data), 0, VALUES, no_timer)


class Values(unittest.TestCase):
    def test_slot(self):
        self.assertEqual(run(3), 7)

    def test_arithmetic_rounds_down_as_python_does(self):
        self.assertEqual(run(3, 5, code.DIV), 2)
        self.assertEqual(run(4, 5, code.DIV), -3)
        self.assertEqual(run(3, 2, code.DIV), -7)
        self.assertEqual(run(4, 5, code.MOD), 2)
        self.assertEqual(run(3, 4, code.MOD), 0)
        self.assertEqual(run(6, 7, code.MUL), -(1 << 80))
        self.assertEqual(run(3, 5, code.SUB), 4)
        self.assertEqual(run(3, 5, code.ADD), 10)

    def test_division_by_zero_is_zero(self):
        self.assertEqual(run(3, 0, code.DIV), 0)
        self.assertEqual(run(3, 0, code.MOD), 0)

    def test_every_comparison_of_two_slots(self):
        table = (
            (code.EQ, (0, 1, 0)),
            (code.NE, (1, 0, 1)),
            (code.LT, (1, 0, 0)),
            (code.LE, (1, 1, 0)),
            (code.GT, (0, 0, 1)),
            (code.GE, (0, 1, 1)),
        )
        for operator, expected in table:
            self.assertEqual(
                (run(5, 3, operator), run(3, 3, operator), run(3, 5, operator)), expected
            )
            # The same inside a longer code, which takes the general way.
            longer = [run(a, b, operator, code.NOT, code.NOT) for a, b in ((5, 3), (3, 3), (3, 5))]
            self.assertEqual(tuple(longer), expected)

    def test_logic_gives_zero_or_one(self):
        for operator, expected in ((code.AND, (0, 0, 1)), (code.OR, (0, 1, 1))):
            self.assertEqual(
                (run(0, 0, operator), run(0, 3, operator), run(4, 3, operator)), expected
            )
        self.assertEqual((run(0, code.NOT), run(4, code.NOT)), (1, 0))

    def test_choice_minimum_maximum_sign(self):
        self.assertEqual(run(1, 3, 5, code.SELECT), 7)
        self.assertEqual(run(0, 3, 5, code.SELECT), 3)
        self.assertEqual((run(3, 4, code.MIN), run(3, 4, code.MAX)), (-7, 7))
        self.assertEqual((run(3, code.NEG), run(4, code.ABS)), (-7, 7))

    def test_time_left_is_asked_by_track_and_zero_without_a_timer(self):
        data = prepare(bytes((3, code.LEFT)))
        self.assertEqual(evaluate(data, 0, VALUES, lambda track: track * 100), 700)
        self.assertEqual(evaluate(data, 0, VALUES, no_timer), 0)


class Refused(unittest.TestCase):
    def test_code_that_could_fail_is_refused(self):
        bad = [
            (),
            (len(VALUES),),
            (code.ADD,),
            (1, code.ADD),
            (1, 1),
            (1, 1, 1, code.ADD),
            (1, code.SELECT),
            (1, 1, code.SELECT),
            (1, 0xCF),
            (1, 0xD4),
            (1, 0xFF),
            (code.NEG,),
            (1,) * (code.STACK_LIMIT + 1) + (code.ADD,) * code.STACK_LIMIT,
        ]
        for items in bad:
            with self.assertRaises(RulesError):
                check(bytes(items), len(VALUES))

    def test_what_is_accepted_always_gives_an_int(self):
        state = 12345
        accepted = 0
        total = 0
        for _ in range(20000):
            items = []
            for _ in range(1 + state % 7):
                state = (state * 1103515245 + 12345) & 0x7FFFFFFF
                value = (state >> 16) & 0xFF
                items.append(value % 8 if value < 160 else 0xC0 + value % 26)
            data = bytes(items)
            try:
                check(data, len(VALUES))
            except RulesError:
                continue
            accepted += 1
            total = (total * 31 + evaluate(prepare(data), 0, VALUES, no_timer)) % 1000003
        # Both numbers come from CPython; MicroPython must find the same.
        self.assertEqual((accepted, total), (ACCEPTED, TOTAL))


ACCEPTED = 2347
TOTAL = 238904


if __name__ == "__main__":
    unittest.main()

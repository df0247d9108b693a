"""MicroPython's `machine`, as far as parts of the badge that run on CPython use it."""

PWRON_RESET, HARD_RESET, WDT_RESET, DEEPSLEEP_RESET, SOFT_RESET = range(1, 6)


class RTC:
    """Memory that nothing is kept in."""

    def memory(self, data=None):
        return b"" if data is None else None

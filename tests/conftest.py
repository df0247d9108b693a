"""What all tests share: device tests run only against a named port; counts of power cuts."""

import os
import random
import signal
from functools import partial

import pytest
from tests.support import compiled

from redband.virtual.clock import FieldLoop

pytest_plugins = [
    "tests.support.fields",
    "tests.support.badges",
    "tests.support.gateways",
    "tests.support.left_behind",
    "tests.support.radio_programs",
    "tests.support.taps",
    "tests.support.usb",
]

REAL_ROOMS = {"device", "hardware", "tent", "usb"}
"""Folders whose tests meet what lives in real time: ports, browsers, people."""
_PACES = {"fast": FieldLoop, "real": partial(FieldLoop, is_real=True)}


def pytest_asyncio_loop_factories(item: pytest.Item) -> dict:
    """Run async tests on a field's clock, as fast as it can; `real_time`: at the real pace.

    `both_paces`: once on each, so that the two never drift apart.
    """
    if item.get_closest_marker("both_paces"):
        return _PACES
    is_real = item.get_closest_marker("real_time") or item.path.parent.name in REAL_ROOMS
    pace = "real" if is_real else "fast"
    return {pace: _PACES[pace]}


def pytest_configure(config: pytest.Config) -> None:
    """Make what follows from the rulesets, once for all workers; let Ctrl-C be Ctrl-C."""
    # A run in the background has it ignored, and so would have every program of the tests.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if not hasattr(config, "workerinput"):
        compiled.make()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--shuffle", type=int, metavar="SEED", help="run the tests in this order")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Shuffle; skip device tests, with the reason, where no badge is named."""
    seed = config.getoption("--shuffle")
    if seed is not None:
        random.Random(seed).shuffle(items)
    if os.environ.get("REDBAND_TEST_PORT"):
        return
    reason = "needs a real badge: set REDBAND_TEST_PORT to its USB port"
    for item in items:
        if item.get_closest_marker("device"):
            item.add_marker(pytest.mark.skip(reason=reason))


def pytest_terminal_summary(terminalreporter) -> None:
    """Say how often the power was cut (tests/proof/test_power_cut.py)."""
    reports = terminalreporter.getreports("passed") + terminalreporter.getreports("failed")
    found = [pair for report in reports for pair in report.user_properties]
    counts = [value for name, value in found if name == "power cut count"]
    if counts:
        for text in sorted(value for name, value in found if name == "power cuts"):
            terminalreporter.write_line(f"power cuts, {text}")
        terminalreporter.write_line(f"power cuts tried: {sum(counts)}")

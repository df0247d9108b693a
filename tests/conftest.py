"""What all tests share: device tests run only against a named port; counts of power cuts."""

import os

import pytest
from tests.support import compiled

pytest_plugins = [
    "tests.support.fields",
    "tests.support.badges",
    "tests.support.gateways",
    "tests.support.radio_programs",
    "tests.support.usb",
]


def pytest_configure(config: pytest.Config) -> None:
    """Make what follows from the rulesets, once for all workers."""
    if not hasattr(config, "workerinput"):
        compiled.make()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip device tests, with the reason, where no badge is named in REDBAND_TEST_PORT."""
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

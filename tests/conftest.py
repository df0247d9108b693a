"""What all tests share: device tests run only against a named port."""

import os

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip device tests, with the reason, where no badge is named in REDBAND_TEST_PORT."""
    if os.environ.get("REDBAND_TEST_PORT"):
        return
    reason = "needs a real badge: set REDBAND_TEST_PORT to its USB port"
    for item in items:
        if item.get_closest_marker("device"):
            item.add_marker(pytest.mark.skip(reason=reason))

"""The part of `unittest` that the shared tests use, for MicroPython (which ships none).

The same test files run under CPython's own unittest through pytest.
"""

import sys


class _Raises:
    def __init__(self, kind):
        self.kind = kind
        self.exception = None

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind is None:
            raise AssertionError("%r was not raised" % (self.kind,))
        self.exception = value
        return issubclass(kind, self.kind)


class TestCase:
    """Assertions with CPython's names; each raises AssertionError with both values."""

    def setUp(self):
        pass

    def tearDown(self):
        pass

    def fail(self, message=""):
        raise AssertionError(message)

    def assertEqual(self, first, second, message=""):
        if not first == second:
            raise AssertionError("%r != %r %s" % (first, second, message))

    def assertNotEqual(self, first, second, message=""):
        if first == second:
            raise AssertionError("%r == %r %s" % (first, second, message))

    def assertTrue(self, value, message=""):
        if not value:
            raise AssertionError("%r is not true %s" % (value, message))

    def assertFalse(self, value, message=""):
        if value:
            raise AssertionError("%r is not false %s" % (value, message))

    def assertIsNone(self, value, message=""):
        if value is not None:
            raise AssertionError("%r is not None %s" % (value, message))

    def assertIsNotNone(self, value, message=""):
        if value is None:
            raise AssertionError("unexpected None %s" % message)

    def assertIn(self, member, container, message=""):
        if member not in container:
            raise AssertionError("%r not in %r %s" % (member, container, message))

    def assertNotIn(self, member, container, message=""):
        if member in container:
            raise AssertionError("%r in %r %s" % (member, container, message))

    def assertLess(self, first, second, message=""):
        if not first < second:
            raise AssertionError("%r >= %r %s" % (first, second, message))

    def assertLessEqual(self, first, second, message=""):
        if not first <= second:
            raise AssertionError("%r > %r %s" % (first, second, message))

    def assertGreater(self, first, second, message=""):
        if not first > second:
            raise AssertionError("%r <= %r %s" % (first, second, message))

    def assertGreaterEqual(self, first, second, message=""):
        if not first >= second:
            raise AssertionError("%r < %r %s" % (first, second, message))

    def assertRaises(self, kind, function=None, *arguments):
        context = _Raises(kind)
        if function is None:
            return context
        with context:
            function(*arguments)
        return None


def _run_one(case, name):
    instance = case()
    instance.setUp()
    try:
        getattr(instance, name)()
    finally:
        instance.tearDown()


def run_module(module):
    """Run every test of a module; print failures; return (passed, failed)."""
    passed = failed = 0
    for case_name in sorted(dir(module)):
        case = getattr(module, case_name)
        if not (isinstance(case, type) and issubclass(case, TestCase)) or case is TestCase:
            continue
        for name in sorted(dir(case)):
            if not name.startswith("test"):
                continue
            try:
                _run_one(case, name)
                passed += 1
            except KeyboardInterrupt:
                raise
            except Exception as error:  # noqa: BLE001 - the runner's job is to report any failure
                failed += 1
                print("FAILED %s.%s.%s" % (module.__name__, case_name, name))
                sys.print_exception(error)
    return passed, failed


def main(*_arguments, **_options):
    """Do nothing: the runner imports the module and calls run_module."""

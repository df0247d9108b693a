"""Start the badge, or safe mode when the app cannot even be imported."""

import gc
import os
import sys

gc.threshold(4096)  # before the imports: collecting early keeps the free heap in one piece
is_on_trial = False
try:
    os.stat("/slot")
    import slots

    is_on_trial = slots.start()
    del slots, sys.modules["slots"]
except (OSError, ValueError, ImportError):
    pass  # no /slot: no update is going on
try:
    # Garbage of one bundle's import goes before the next takes its places for good.
    gc.collect()
    import redband_badge.badge  # noqa: F401 (it holds what both app and safe mode need)

    gc.collect()
    from redband_badge.app import run

    gc.collect()
except (ImportError, SyntaxError, ValueError, AttributeError, MemoryError, OSError) as error:
    sys.print_exception(error)
    if is_on_trial:
        import machine

        machine.reset()  # the version before it comes back
    from redband_badge.safe_mode import run

run()

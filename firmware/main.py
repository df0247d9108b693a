"""Start the badge, or safe mode when the app cannot even be imported."""

import gc
import sys

gc.threshold(4096)  # before the imports: collecting early keeps the free heap in one piece
try:
    from redband_badge.app import run
except (ImportError, SyntaxError, ValueError, AttributeError, MemoryError, OSError) as error:
    sys.print_exception(error)
    from redband_badge.safe_mode import run

run()

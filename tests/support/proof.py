"""How much of a long proof is played: all of it by `make proof`, a share by `make test`.

The share is the same one in each run. Tests that use it have the marker `proof`.
"""

import os
from typing import TypeVar

IS_WHOLE = os.environ.get("REDBAND_PROOF") == "1"

T = TypeVar("T")


def of(whole: T, share: T) -> T:
    """Return what to play, or how much: `whole` by `make proof`, else `share`."""
    return whole if IS_WHOLE else share

"""Puts a whole journal aside, for a badge that is provisioned anew: both lives are kept apart.

Guarantee: the last life before this one is still on the flash, for a technician to fetch.
"""

import os


def archive(directory: str) -> None:
    """Rename the journal to `<directory>.old`, in place of the one there. Raises OSError."""
    old = directory + ".old"
    try:
        for name in os.listdir(old):
            os.remove(old + "/" + name)
        os.rmdir(old)
    except OSError as error:
        if error.errno != 2:
            raise
    os.rename(directory, old)

"""Errors that a person at the keyboard can act on."""


class RedbandUserError(Exception):
    """A mistake or obstacle that the user can remove.

    The message is one sentence: what is wrong, where, and what to do. The command line prints it
    and ends with `exit_code`; no stack trace is shown.
    """

    def __init__(self, message: str, exit_code: int = 2) -> None:
        super().__init__(message)
        self.exit_code = exit_code

"""Errors that a person at the keyboard can act on."""

from __future__ import annotations


class RedbandUserError(Exception):
    """A mistake or obstacle that the user can remove.

    The message is one sentence: what is wrong, where, and what to do. The command line prints it
    and ends with `exit_code`; no stack trace is shown.
    """

    def __init__(self, message: str, exit_code: int = 2) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def leading_error(group: ExceptionGroup) -> Exception:
    """Return the one error of a group to tell of: one that the user can remove, else the first."""
    errors: list[Exception] = []
    remaining: list[Exception] = [group]
    while remaining:
        error = remaining.pop(0)
        if isinstance(error, ExceptionGroup):
            remaining.extend(error.exceptions)
        else:
            errors.append(error)
    return next((error for error in errors if isinstance(error, RedbandUserError)), errors[0])

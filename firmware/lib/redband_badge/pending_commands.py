"""Gives commands to the game task, and its answers back to who gave them.

Guarantee: each command that `give` took is answered once, when the journal holds what came of it;
one that a host repeats, in another session, too, is done once. What a command is about: the
functions of `host_commands`, `broadcast`. A restart of the badge forgets what was asked, never
what was done.
"""

REQUESTS_MAX = 8
"""Requests of hosts remembered: more than a host has open at a time."""


class PendingCommands:
    """Of one badge.

    requests: the newest of hosts, lists of [request, outcome or None, session, message number,
    opcode]; session None when nobody waits for the outcome.
    """

    def __init__(self, queue, state) -> None:
        """`queue`: of commands. `state`: the game task answers by its `on_answer`."""
        self._queue = queue
        self._waiting = []  # (number, on_done)
        self._number = 0
        self.requests = []
        state.on_answer = self._answered

    def give(self, kind: int, value, on_done) -> bool:
        """Queue a command of `commands`; return False when there is no room.

        `on_done(answer)`: called once, in the game's task; it may not raise.
        """
        self._number += 1
        if not self._queue.put((kind, self._number, value)):
            return False
        self._waiting.append((self._number, on_done))
        return True

    def _answered(self, number: int, answer: int) -> None:
        for entry in self._waiting:
            if entry[0] == number:
                self._waiting.remove(entry)
                entry[1](answer)
                return

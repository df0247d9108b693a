"""What a host, another badge or a gesture asks of a badge with a radio: loaded when it is asked.

Guarantee: each module leaves the memory when its work is done (on_demand). Put together by
redband_badge.radio_parts.
"""

from redband_badge.on_demand import BROADCAST, HOST_COMMANDS, TAP_GESTURES, UPDATE, Needed


class RadioSide:
    """What links, commands, broadcasts, updates and a medic's tap work with.

    `root`: directory of the badge's files. `session`: info, access and handlers, see BadgeSession.
    """

    def __init__(self, root: str, store, wakeup, running, queues, observer, handlers) -> None:
        """`store`: the journal's. `wakeup`: of the game task. `running`: state, info, options and
        ruleset. `queues`: game journal, queue of notes, PendingCommands. `handlers`: of a session.
        """
        self.root = root
        self.store = store
        self._wakeup = wakeup
        self.state, self.info, self.options, self.ruleset = running
        self.game_journal, self.note_queue, self.pending_commands = queues
        self.observer = observer
        self.session = (self.info, observer.access, handlers)

    def make_link(self, link, connection: int):
        """Return the Link of a connection. `link`: the module."""
        wake, release = self.state.radio_wakeup.set, self._release
        radio = self.observer.radio
        return link.Link(radio, connection, self.store, release, self.session, wake)

    def _release(self, before_seq: int) -> None:
        state = self.state
        state.release_before_seq = max(state.release_before_seq, before_seq)
        self._wakeup.set()

    def take_command(self, session, number: int, message: bytes) -> None:
        """Do what a proven host says: a handler of BadgeSession, as the next one."""
        with Needed(HOST_COMMANDS) as host_commands:
            host_commands.take(self, session, number, message)

    def take_upload(self, session, number: int, message: bytes) -> None:
        with Needed(UPDATE) as update:
            update.take(self, session, number, message)

    def hear_broadcast(self, payload: bytes, _rssi_dbm: int, _now_ms: int) -> int:
        """Take what another badge passes on: a taker of Observer."""
        with Needed(BROADCAST) as broadcast:
            return broadcast.heard(self, payload)

    def take_gesture(self, code: int, first_ms: int, now_ms: int) -> int:
        """Look at a gesture before the rules do: see tap_gestures."""
        with Needed(TAP_GESTURES) as tap_gestures:
            return tap_gestures.take(self, code, first_ms, now_ms)

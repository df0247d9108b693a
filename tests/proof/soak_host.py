"""The far end of programs/soak_badge.py: its process, its host over the radio, and its journal."""

from __future__ import annotations

import os
import re
import select
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.support.interpreter import PROGRAMS, SILICON, UNITTEST

from redband.build.firmware import compiled, firmware_files
from redband.keys import GameKeys
from redband.radio.sync import new_session
from redband.rules.replay import find_micropython
from redband.store.projection import Projector
from redband.store.records import Page, Record, decode_page
from redband.virtual.image import write_image
from redband.virtual.spec import BadgeSpec
from redband.wire import journal as wire_journal
from redband.wire import log_stream as wire_log_stream
from redband_core import frames, journal
from redband_core.ruleset import Ruleset

HEAP_BYTES = 192 * 1024
"""What 96 kB on an ESP32 are here: objects take twice as much on the 64-bit port."""
BADGE_ID = 7
KEYS = GameKeys(bytes(range(32)))
ANSWER_TIMEOUT_S = 60
STALL_MS = 2000
FRAME_BYTES = 182


@dataclass(frozen=True)
class Memory:
    """Of the badge's heap after a collection, in bytes. largest: free in one piece."""

    used: int
    free: int
    largest: int


class BadgeProcess:
    """One life of a badge, from power-on to the pull; `share`: what the bench's own part takes."""

    def __init__(self, directory: Path, heap_bytes: int, start_ticks_ms: int) -> None:
        path = ["", ".frozen", *map(str, (directory / "bench", UNITTEST, SILICON))]
        self._process = subprocess.Popen(
            [find_micropython(), "-X", f"heapsize={heap_bytes}", "-c"]
            + [f"import sys; sys.path[:] = {path!r}; import soak_badge"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=os.environ
            | {
                "MICROPYPATH": "",
                "SOAK_IMAGE": str(directory / "flash.img"),
                "SOAK_TICKS_MS": str(start_ticks_ms),
            },
        )
        self._unread = b""
        self.printed: list[str] = []
        self.share = int(self._until("share").split()[1])
        self._until("playing")

    def _line(self) -> str:
        output = self._process.stdout
        assert output is not None
        while b"\n" not in self._unread:
            ready, _, _ = select.select([output], [], [], ANSWER_TIMEOUT_S)
            data = os.read(output.fileno(), 65536) if ready else b""
            if not data:
                self._process.kill()  # what hangs would take a core until somebody notices
                raise AssertionError("the badge hangs or ended: " + "\n".join(self.printed[-30:]))
            self._unread += data
        line, self._unread = self._unread.split(b"\n", 1)
        self.printed.append(line.decode().strip())
        return self.printed[-1]

    def _until(self, start: str) -> str:
        line = self._line()
        while not line.startswith(start):
            line = self._line()
        return line

    def say(self, what: str, more: str = "") -> list[str]:
        """Let something happen to the badge; return what it answers."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{what}\n{more}".encode())
        self._process.stdin.flush()
        answer = []
        line = self._line()
        while line != ".":
            answer.append(line)
            line = self._line()
        return answer

    def memory(self) -> Memory:
        """Return what the heap holds after a collection."""
        lines = self.say("memory")
        used, free = map(int, lines[0].split())
        largest = re.search(r"max free sz: (\d+)", "\n".join(lines))
        assert largest, lines
        return Memory(used, free, int(largest[1]) * 32)

    def pull(self) -> None:
        """Take the battery out; time and heap are gone, the flash image stays."""
        self._process.kill()
        self._process.communicate()


def make_badge(directory: Path, ruleset: str, params: tuple[int, ...]) -> None:
    """Write the flash image and the compiled bench."""
    spec = BadgeSpec(BADGE_ID, "Anna", ruleset, params=params)
    files = firmware_files() | spec.data_files() | spec.key_files(KEYS)
    write_image(directory / "flash.img", files)
    bench = directory / "bench"
    bench.mkdir()
    program = PROGRAMS / "soak_badge.py"
    (bench / "soak_badge.mpy").write_bytes(compiled(program, "soak_badge.py"))


def bench_bytes(directory: Path) -> int:
    """Return the heap that chip and bench take, before there is a badge."""
    image = directory / "flash.img"
    before = image.read_bytes()
    badge = BadgeProcess(directory, 4 * HEAP_BYTES, 0)
    badge.pull()
    image.write_bytes(before)
    return badge.share


class Host:
    """Fetches the journal over the radio and keeps all of it."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.records: list[tuple[int, int, int, bytes]] = []
        self._projector = Projector(
            BADGE_ID, lambda identity: ruleset if identity == ruleset.identity else None
        )
        self.syncs = 0
        self.install_ids: set[int] = set()

    @property
    def next_seq(self) -> int:
        """Number of the first record that is not here yet."""
        return self.records[-1][0] + 1 if self.records else 0

    def sync(
        self,
        badge: BadgeProcess,
        stop_after_frames: int = 1 << 30,
        on_frames: Callable[[], None] = lambda: None,
    ) -> None:
        """Fetch what is new; give up in the middle after so many frames. `on_frames`: called when
        some have come.
        """
        session = new_session(lambda _install: self.next_seq, KEYS)
        session.set_write_limit(FRAME_BYTES)
        badge.say("connect")
        frame_count = quiet_ms = 0
        is_done = False
        while not is_done and frame_count < stop_after_frames:
            frame = session.next_write()
            if frame is not None:
                badge.say("frame", frame.hex() + "\n")
            heard = badge.say("listen 10")
            quiet_ms = 0 if heard or frame else quiet_ms + 10
            if quiet_ms >= STALL_MS:
                session.stalled()
                quiet_ms = 0
            for line in heard:
                channel, data = line.split()
                frame_count += 1
                if int(channel) == frames.CHANNEL_CONTROL:
                    session.control_notified(bytes.fromhex(data))
                else:
                    session.log_notified(bytes.fromhex(data))
            if heard:
                on_frames()
            for event in session.events():
                assert event[0] != wire_log_stream.FAILED, event
                is_done = is_done or event[0] == wire_log_stream.DONE
                if event[0] == wire_log_stream.PAGE:
                    self._commit(session, event)
        badge.say("disconnect")
        self.syncs += 1

    def _commit(self, session, event: tuple) -> None:
        _page, first_seq, base_ms, data, next_seq = event
        install_id = session.welcome.install_id
        self.install_ids.add(install_id)
        for seq, kind, game_ms, payload in decode_page(
            Page(BADGE_ID, install_id, first_seq, base_ms, data)
        ):
            assert seq == self.next_seq, "a record is missing"
            self.records.append((seq, kind, game_ms, payload))
            self._projector.apply(Record(BADGE_ID, 1, install_id, 0, seq, kind, game_ms, payload))
        session.committed(next_seq)

    def state(self, game_ms: int):
        """Return what the records say the badge is, at a game time."""
        return self._projector.state(game_ms)

    def judged(self) -> list[tuple[int, tuple[int, ...]]]:
        """Return (event id, arguments) of all inputs in the journal, applied and refused."""
        found = []
        for _seq, kind, _game_ms, payload in self.records:
            if kind == journal.EVENT:
                found.append(journal.parse_event(payload))
            elif kind == journal.REFUSED:
                found.append(wire_journal.parse_refused(payload)[1:])
        return found

    def noted(self, code: int) -> int:
        """Return the sum of the values of all notes with this code."""
        found = [journal.parse_note(r[3]) for r in self.records if r[1] == journal.NOTE]
        return sum(value for noted, value in found if noted == code)

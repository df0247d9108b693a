"""Takes an update over the air: a manifest and files, staged beside what runs.

Problem: the link or the battery may go at any byte, and the game goes on meanwhile. Guarantee:
what runs is not touched; an upload goes on at the exact byte after the last one on the flash;
only what has every hash of its manifest, and passes the badge's own checks, is taken over, by the
rename of one file (/slot), and by the next start. Knows no keys: the session has checked who
speaks. Loaded while an update is going on; see also slots.py, staging,
update_check, trial.
"""

import asyncio
import os
import sys

from redband_badge import limits
from redband_badge.files import exists, read_bytes, replace
from redband_badge.on_demand import UPDATE, UPDATE_CHECK, Needed
from redband_badge.staging import Upload, digest_of, drop
from redband_core import numbers, upload
from redband_core.errors import ProtocolError
from redband_hal import system

_NOWHERE = ("/stage", "/lib.new", "/lib.old", "/lib.bad")
_now = []  # the Desk


def take(side, session, number: int, message: bytes) -> None:
    """Do what a proven host asks. Raises ProtocolError. `side`: RadioSide."""
    if not _now:
        modules = Needed(UPDATE)
        modules.take()
        _now.append(Desk(side))
        asyncio.create_task(_watch(_now[0], modules))
    _now[0].take(session, number, message)


async def _watch(desk, modules) -> None:
    """End an upload of which nothing more comes, and let the modules leave the memory."""
    while desk.is_busy or desk.idle_ms() < limits.UPLOAD_IDLE_MS:
        await asyncio.sleep_ms(1000)
    _now.clear()
    desk.stop()
    modules.end()


class Desk:
    """The one upload of a badge, None between two, and the job that takes longer."""

    def __init__(self, side) -> None:
        """`side`: RadioSide."""
        self._side = side
        self._root = side.root
        self.upload = None
        self.is_busy = False
        self._heard_ms = system.ticks_ms()

    def idle_ms(self) -> int:
        """Return for how long no host has said anything."""
        return system.ticks_diff(system.ticks_ms(), self._heard_ms)

    def stop(self) -> None:
        """Close what is open."""
        try:
            if self.upload is not None:
                self.upload.close()
        except OSError:
            pass  # what is on the flash counts, at the next BEGIN as well
        self.upload = None

    def take(self, session, number: int, message: bytes) -> None:
        """See the module's take()."""
        self._heard_ms = system.ticks_ms()
        opcode = message[0]
        if opcode == upload.STATUS:
            asyncio.create_task(self._tell(session, number))
        elif self.is_busy:
            return  # the answer to it is on its way
        elif opcode == upload.DATA:
            self._data(session, number, message)
        else:
            new = Upload(self._root, message) if opcode == upload.BEGIN else None
            self.is_busy = True
            asyncio.create_task(self._work(session, number, opcode, new))

    def _data(self, session, number: int, message: bytes) -> None:
        offset, is_asking = upload.decode_data(message)
        session.bad_frame_count = 0  # lost frames of a good host are no attack
        outcome, now = upload.NOT_BEGUN, self.upload
        if now is not None:
            skipped = now.offset - offset
            data = memoryview(message)[upload.DATA_HEAD_BYTES :]
            outcome = upload.GAP if skipped < 0 else upload.DONE
            try:
                if 0 <= skipped < len(data):
                    now.add(data[skipped:])
            except (OSError, ProtocolError) as error:
                is_flash = isinstance(error, OSError)
                outcome = upload.FLASH_FAILED if is_flash else upload.BAD_MANIFEST
                self._note(numbers.NOTE_UPDATE_BEGUN, now.kind | outcome << 8)
                self.stop()
        if is_asking or outcome not in (upload.DONE, upload.GAP):
            self._answer(session, number, upload.DATA, outcome)

    def _answer(self, session, number: int, opcode: int, outcome: int, more: bytes = b"") -> None:
        offset = self.upload.offset if self.upload is not None else 0
        session.answer(number, upload.encode_answer(opcode, outcome, offset, more))

    async def _tell(self, session, number: int) -> None:
        try:
            slot = read_bytes(self._root + "/slot") or b""
        except OSError:
            slot = b""
        build = await digest_of(self._root + "/lib/manifest")
        more = (slot + bytes(4))[:4] + (build + bytes(upload.BUILD_BYTES))[: upload.BUILD_BYTES]
        self._answer(session, number, upload.STATUS, upload.DONE, more)

    async def _work(self, session, number: int, opcode: int, new) -> None:
        """Do what takes longer than a task may hold the others up."""
        try:
            if opcode == upload.BEGIN:
                outcome = await self._begin(new)
            elif opcode == upload.COMMIT:
                outcome = await self._commit()
            else:
                outcome = await self._abort()
        except OSError:
            outcome = upload.FLASH_FAILED
        except (ProtocolError, UnicodeError):
            outcome = upload.BAD_MANIFEST
        except MemoryError:
            outcome = upload.NO_MEMORY
        self._heard_ms = system.ticks_ms()
        self._answer(session, number, opcode, outcome)
        kind = self.upload.kind if self.upload is not None else new.kind if new is not None else 0
        if outcome and opcode != upload.ABORT:
            self._note(numbers.NOTE_UPDATE_BEGUN, kind | outcome << 8)
            if opcode == upload.COMMIT and outcome in (upload.DAMAGED, upload.BAD_MANIFEST):
                await self._clear()
        elif opcode == upload.COMMIT:
            # The answer has to reach the host, and the notes the journal.
            await asyncio.sleep_ms(limits.UPLOAD_RESTART_MS)
            system.reset()
        self.is_busy = False

    def _note(self, code: int, value: int) -> None:
        self._side.note_queue.put((code, value))

    async def _begin(self, new) -> int:
        if self.upload is not None and self.upload.name == new.name:
            self.upload.flags = new.flags
            return upload.DONE  # a repeat, or a host that lost count
        if new.badge_id not in (upload.ANY_BADGE, self._side.info.badge_id):
            return upload.OTHER_BADGE
        if exists(self._root + "/slot"):
            return upload.BUSY
        python_bytes, _free, largest = system.heap_bytes()
        if largest < limits.UPLOAD_BLOCK_BYTES:
            return upload.NO_MEMORY_LEFT
        if "redband_badge.tap_calls" in sys.modules and python_bytes < limits.UPLOAD_AND_TAP_BYTES:
            return upload.TAP_GOES_ON
        self.stop()
        begun_path = self._root + "/stage/begun"
        if read_bytes(begun_path) != new.name:
            await self._clear()
            room = new.total_bytes + (new.count << 12) + limits.FLASH_RESERVE_BYTES
            if system.free_bytes(self._root or "/") < room:
                return upload.NO_ROOM
            os.mkdir(self._root + "/stage")
            with open(begun_path, "wb") as file:  # noqa: ASYNC230 (a badge has no other)
                file.write(new.name)
            self._note(numbers.NOTE_UPDATE_BEGUN, new.kind)
        new.resume()
        if new.has_manifest and not new.is_manifest_good():
            await self._clear()
            return upload.BAD_MANIFEST
        self.upload = new
        return upload.DONE

    async def _clear(self) -> None:
        self.stop()
        for directory in _NOWHERE:
            await drop(self._root + directory)

    async def _abort(self) -> int:
        if not exists(self._root + "/slot"):
            await self._clear()
        return upload.DONE

    async def _commit(self) -> int:
        now = self.upload
        if now is None:
            return upload.NOT_BEGUN
        now.close()
        outcome = await now.check()
        if not outcome and now.kind != upload.FIRMWARE:
            running = (self._side.options, self._side.ruleset, self._side.info.ruleset_identity)
            with Needed(UPDATE_CHECK) as update_check:
                outcome = update_check.prepare(self._root, running, now)
        if outcome:
            now.resume()
            return outcome
        state = self._side.state
        reason, faults = state.safe_mode_reason, state.faults & 0xFF
        slot = bytes((numbers.UPDATE_TAKE, now.kind, 0, 0, reason, faults))
        replace(self._root + "/slot", slot)
        self._note(numbers.NOTE_UPDATE_APPLIED, now.kind)
        return upload.DONE

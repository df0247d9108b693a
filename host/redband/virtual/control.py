"""The control socket of a virtual field: what hands and eyes do, as JSON lines.

Request: {"do": "press", "badge": 3, ...}; answer: {"ok": true, ...} or {"ok": false, "error":
"one sentence"}. Guarantee: a request that makes no sense is answered and changes nothing; the
connection stays open. The verbs are listed in docs/virtual.md.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from redband.errors import RedbandUserError
from redband.virtual.badge import BLOW_MS, HOLD_MS, PRESS_MS, SHAKE_MG, VirtualBadge
from redband.virtual.board_pins import BUTTON
from redband.virtual.clock import field_loop
from redband.virtual.peer import is_of_another_process
from redband.virtual.sensor import BLOW_MAX_MG

LINE_BYTES = 4096
CLIENT_TIMEOUT_S = 60.0
TOUCH_MAX_MS = 600_000

Request = dict[str, Any]


def describe(badge: VirtualBadge) -> Request:
    """Return what can be seen of a badge from outside."""
    red, green, vibration = badge.leds
    red_pct, green_pct, vibration_pct = badge.light_levels
    return {
        "badge": badge.badge_id,
        "player": badge.spec.player,
        "powered": badge.is_powered,
        "boots": badge.boots,
        "watchdog_resets": badge.chip.watchdog_resets,
        "leds": {"red": red, "green": green, "vibration": vibration},
        "levels": {"red": red_pct, "green": green_pct, "vibration": vibration_pct},
        "usb": str(badge.usb_path),
        "image": str(badge.image_path),
        "address": badge.spec.address,
    }


def _number(request: Request, key: str, default: int, most: int) -> int:
    value = request.get(key, default)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
        raise RedbandUserError(f"{key} is a whole number from 0 to {most}, not {value!r}.")
    return value


def _is_edge(edge: object) -> bool:
    return (
        isinstance(edge, list)
        and len(edge) == 2
        and all(isinstance(part, int) for part in edge)
        and edge[1] in (0, 1)
    )


class ControlledField(Protocol):
    """What can be asked of a field. hci_path: socket of its radio."""

    @property
    def badges(self) -> Mapping[int, VirtualBadge]: ...

    @property
    def hci_path(self) -> str: ...


class ControlServer:
    """Serves the badges of `field`."""

    def __init__(self, field: ControlledField) -> None:
        self._field = field
        self._server: asyncio.Server | None = None
        self._path: Path | None = None
        self._clients: set[asyncio.StreamWriter] = set()
        self._deeds: dict[str, Callable[[VirtualBadge, Request], Awaitable[object]]] = {
            "press": lambda badge, request: badge.press(
                _number(request, "duration_ms", PRESS_MS, TOUCH_MAX_MS),
                _number(request, "bounces", 0, 90),
                _number(request, "rest_ms", 0, TOUCH_MAX_MS),
            ),
            "hold": lambda badge, request: badge.hold(
                _number(request, "duration_ms", HOLD_MS, TOUCH_MAX_MS)
            ),
            "shake": lambda badge, request: badge.shake(
                _number(request, "mg", SHAKE_MG, BLOW_MAX_MG)
            ),
            "blow": lambda badge, request: badge.blow(
                _number(request, "mg", SHAKE_MG, BLOW_MAX_MG),
                _number(request, "duration_ms", BLOW_MS, TOUCH_MAX_MS),
                request.get("axis", "x"),
            ),
            "edges": self._edges,
            "flash": lambda badge, _: self._flash(badge),
            "pull": lambda badge, _: badge.power_cut(),
            "restore": lambda badge, _: badge.power_on(),
            "battery": self._battery,
            "leds": self._nothing,
        }

    async def start(self, path: Path) -> None:
        """Listen at the unix socket `path`."""
        self._path = path
        self._server = await asyncio.start_unix_server(self._serve, str(path), limit=LINE_BYTES)

    async def stop(self) -> None:
        """Close the socket and every connection; may be called again."""
        if self._server is not None:
            self._server.close()
            self._server = None
        for writer in tuple(self._clients):
            writer.close()
        if self._path is not None:
            self._path.unlink(missing_ok=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._clients.add(writer)
        try:
            if is_of_another_process(writer.transport):
                with field_loop().real_pace():
                    await self._answer_all(reader, writer)
            else:
                await self._answer_all(reader, writer)
        except ConnectionError:
            pass  # the client has what it wanted
        finally:
            self._clients.discard(writer)
            writer.close()

    async def _answer_all(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        while True:
            try:
                line = await reader.readline()
            except ValueError:
                return  # longer than any request is
            if not line:
                return
            answer = await self.answer(line)
            writer.write(json.dumps(answer, ensure_ascii=False).encode() + b"\n")
            await writer.drain()

    async def answer(self, line: bytes) -> Request:
        """Do what one request line asks and return the answer."""
        try:
            request = json.loads(line)
        except ValueError:
            return {"ok": False, "error": "A request is one line of JSON."}
        try:
            if not isinstance(request, dict):
                raise RedbandUserError('A request is an object such as {"do": "status"}.')
            return {"ok": True} | await self._do(request)
        except RedbandUserError as error:
            return {"ok": False, "error": str(error)}

    async def _do(self, request: Request) -> Request:
        verb = request.get("do")
        if verb == "status":
            badges = [describe(badge) for badge in self._field.badges.values()]
            return {
                "badges": badges,
                "hci": self._field.hci_path,
            }
        deed = self._deeds.get(verb) if isinstance(verb, str) else None
        if deed is None:
            known = ", ".join(["status", *self._deeds])
            raise RedbandUserError(f"{verb!r} is nothing one can do; there is {known}.")
        badge_id = request.get("badge")
        badge = self._field.badges.get(badge_id) if isinstance(badge_id, int) else None
        if badge is None:
            raise RedbandUserError(f"There is no badge {badge_id!r} in this field.")
        outcome = await deed(badge, request)
        more = outcome if isinstance(outcome, dict) else {}
        if isinstance(outcome, bool):
            more = {"played": outcome}
        return describe(badge) | more

    async def _battery(self, badge: VirtualBadge, request: Request) -> None:
        badge.set_battery_mv(_number(request, "mv", -1, 5000))

    async def _edges(self, badge: VirtualBadge, request: Request) -> bool:
        edges = request.get("edges")
        if not isinstance(edges, list) or not all(map(_is_edge, edges)):
            raise RedbandUserError(f"edges is a list of [microseconds, 0 or 1], not {edges!r}.")
        pulse = [(delay_us, bool(is_closed)) for delay_us, is_closed in edges]
        rest_ms = _number(request, "rest_ms", 0, TOUCH_MAX_MS)
        return await badge.play(str(request.get("contact", BUTTON)).upper(), pulse, rest_ms)

    async def _flash(self, badge: VirtualBadge) -> Request:
        try:
            counts = await badge.count_flash()
        except TimeoutError as error:
            raise RedbandUserError(
                f"Badge {badge.badge_id} runs no program that looks."
            ) from error
        return {"flash": dataclasses.asdict(counts)}

    async def _nothing(self, badge: VirtualBadge, request: Request) -> None:
        """Only the answer is wanted."""


async def ask(path: Path | str, request: Request, timeout_s: float = CLIENT_TIMEOUT_S) -> Request:
    """Send one request to the field at the control socket `path` and return its answer.

    Raises RedbandUserError when no field is there, it does not answer, or refuses.
    """
    try:
        async with asyncio.timeout(timeout_s):
            reader, writer = await asyncio.open_unix_connection(str(path))
            try:
                writer.write(json.dumps(request).encode() + b"\n")
                line = await reader.readline()
            finally:
                writer.close()
    except TimeoutError as error:
        raise RedbandUserError(f"The virtual field at {path} does not answer.") from error
    except OSError as error:
        raise RedbandUserError(
            f"No virtual field runs at {path}; start one with: redband virtual start."
        ) from error
    if not line:
        raise RedbandUserError("The virtual field ended before it answered.")
    answer = json.loads(line)
    if not answer.get("ok"):
        raise RedbandUserError(str(answer.get("error")))
    return answer

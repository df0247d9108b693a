"""`redband scan`: which badges are in range, now."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from redband.cli.options import DataOption, FieldOption, KeyOption

if TYPE_CHECKING:
    from redband.radio import Heard

app = typer.Typer(add_completion=False)

COLUMNS = " badge   role         rssi  battery  records  flags"


@app.command()
def scan(
    seconds: Annotated[float, typer.Option(min=0.1, help="How long to listen.")] = 6,
    field: FieldOption = None,
    key: KeyOption = None,
    data: DataOption = None,
) -> None:
    """List the badges in range, as their adverts say. Exit code 1 when there is none.

    Only badges of the game whose key is here are listed; of others one learns that they are there.
    """
    from redband.cli import session
    from redband.cli.options import open_radio
    from redband.gateway.bleak_radio import BleakRadio
    from redband.gateway.opened import trouble

    heard: dict[int, Heard] = {}

    def note(sighting: Heard) -> None:
        if not sighting.is_doubtful:
            heard[sighting.advert.badge_id] = sighting

    async def main() -> int:
        async with open_radio(field, key, data) as radio:
            observer = BleakRadio(radio.backend, radio.keys)
            try:
                async with asyncio.timeout(seconds):
                    await observer.scan(note)
            except TimeoutError:
                pass
            told.extend(trouble(observer.counts, radio.keys is not None))
        return 0

    told: list[str] = []
    session.run(main())
    for sentence in told:
        typer.echo(sentence, err=True)
    if not heard:
        typer.echo(f"No badge was heard in {seconds:g} s.", err=True)
        raise typer.Exit(1)
    typer.echo(COLUMNS)
    for _badge_id, sighting in sorted(heard.items()):
        typer.echo(_line(sighting))


def _line(sighting: Heard) -> str:
    from redband.number_texts import ROLES, text_of
    from redband.overview.rows import FLAG_NAMES
    from redband_core.advert import NO_SEQ

    advert = sighting.advert
    role = text_of(ROLES, advert.role, 0)
    remarks = [name for bit, name in FLAG_NAMES if advert.flags & bit]
    remarks += ["paused"] if advert.is_paused else []
    remarks += ["EMERGENCY"] if advert.is_emergency else []
    flags = ", ".join(remarks)
    made = 0 if advert.last_seq == NO_SEQ else advert.last_seq + 1
    line = (
        f"{advert.badge_id:>6}   {role:<11}  {sighting.rssi_dbm:>4}  {advert.battery_pct:>5} %"
        f"  {made:>7}  {flags}"
    )
    return line.rstrip()

"""Self-tests of virtual badges: what a person does when the badge asks."""

from __future__ import annotations

HIT = 1


def hits(bench) -> int:
    return [event for event, _args in bench.events()].count(HIT)


async def try_out(bench, is_impact: bool = True) -> None:
    """Do what the prompts say."""
    for is_there, step, touch in (
        (True, b"SELFTEST begin button", bench.badge.press),
        (is_impact, b"SELFTEST begin impact", bench.badge.shake),
    ):
        if is_there:
            await bench.badge.console.wait_output(step)
            await bench.badge.pause(300)
            await touch()

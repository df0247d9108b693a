"""The hits rules on `transitions`, `python-statemachine` and `sismic`, each from `hits_table`."""

from __future__ import annotations

from typing import Any

import statemachine
from sismic.interpreter import Event, Interpreter
from sismic.model import BasicState, CompoundState, OrthogonalState, Statechart
from sismic.model import Transition as SismicTransition
from transitions import Machine

from tools.bench.hits_player import Player
from tools.bench.hits_table import ROWS, STATES, Row


def rows_of(track: str) -> list[Row]:
    """Return the table's rows of one track, in order."""
    return [row for row in ROWS if row.track == track]


class WithTransitions(Player):
    """A flat machine for each track, all on this one model; callbacks given as functions."""

    def __init__(self) -> None:
        super().__init__()
        for track, states in STATES.items():
            machine = Machine(
                self,
                list(states),
                states[0],
                model_attribute=track,
                auto_transitions=False,
            )
            for row in rows_of(track):
                machine.add_transition(
                    f"on_{row.event}",  # a trigger may not be named like a track
                    list(row.sources),
                    row.target,
                    conditions=getattr(self, row.guard) if row.guard else None,
                    before=getattr(self, row.action) if row.action else None,
                )
        self._triggers = {row.event: getattr(self, f"on_{row.event}") for row in ROWS}

    def send(self, event: str) -> None:
        self._triggers[event]()


def _state_machine(track: str) -> type[statemachine.StateMachine]:
    """Return a class with the track's states and transitions."""
    body: dict[str, Any] = {"allow_event_without_transition": True}
    states = {
        name: statemachine.State(value=name, initial=number == 0)
        for number, name in enumerate(STATES[track])
    }
    for row in rows_of(track):
        for source in row.sources:
            target = states[row.target or source]
            transition = states[source].to(
                target,
                internal=row.target is None,
                cond=row.guard or None,
                on=row.action or None,
            )
            name = f"on_{row.event}"
            body[name] = body[name] | transition if name in body else transition
    body.update({f"in_{name}": state for name, state in states.items()})
    return type(f"{track.title()}Machine", (statemachine.StateMachine,), body)


class WithStateMachine(Player):
    """A `python-statemachine` for each track, with this player as their model."""

    _classes = {track: _state_machine(track) for track in STATES}

    def __init__(self) -> None:
        super().__init__()
        self._triggers = {}
        for track, machine_class in self._classes.items():
            machine = machine_class(self, state_field=track)
            for row in rows_of(track):
                self._triggers[row.event] = getattr(machine, f"on_{row.event}")

    def send(self, event: str) -> None:
        self._triggers[event]()


def _chart() -> Statechart:
    """Return one chart with a parallel region for each track, sismic's own way."""
    chart = Statechart("hits")
    chart.add_state(CompoundState("root", initial="all"), None)
    chart.add_state(OrthogonalState("all"), "root")
    for track, names in STATES.items():
        chart.add_state(CompoundState(track, initial=names[0]), "all")
        for name in names:
            entry = f"player.{track} = {name!r}"
            chart.add_state(BasicState(name, on_entry=entry), track)
    for track in STATES:
        priority = len(ROWS)
        for row in rows_of(track):
            priority -= 1
            for source in row.sources:
                chart.add_transition(
                    SismicTransition(
                        source,
                        row.target,
                        event=row.event,
                        guard=f"player.{row.guard}()" if row.guard else None,
                        action=f"player.{row.action}()" if row.action else None,
                        priority=priority,
                    )
                )
    return chart


class WithSismic(Player):
    """One sismic interpreter with parallel regions."""

    _chart = _chart()

    def __init__(self) -> None:
        super().__init__()
        self._interpreter = Interpreter(self._chart, initial_context={"player": self})
        self._interpreter.execute()
        self._is_running = False

    def send(self, event: str) -> None:
        interpreter = self._interpreter
        interpreter.queue(Event(event))
        if not self._is_running:  # sismic is not reentrant
            self._is_running = True
            interpreter.execute()
            self._is_running = False

"""What the compared libraries leave to plain Python: counters, deadlines and named refusals."""

from __future__ import annotations

from tools.bench import hits_by_hand as by_hand
from tools.bench.hits_table import COUNTERS, EVENTS, STATES

TIMED = ("health", "overlay", "mind")
DEATH_MS = 900_000
REST_MS = 900_000
RECOVERY_MS = 1_500_000
OPERATION_MS = 600_000
UNCONSCIOUS_MS = 60_000
KNOCKDOWN_MS = 15_000
MAX_HITS = 3
TRAUMA_LIMIT = 5
COUNTER_MAX = 9
FOULS_MAX = 99


class Player:
    """Guards and actions of `hits_table`; a library's player adds states and `send`.

    health, overlay, mind, place, conduct: names of states, kept by the library.
    """

    health = "healthy"
    overlay = "awake"
    mind = "calm"
    place = "combat"
    conduct = "playing"

    def __init__(self) -> None:
        self.now_ms = 0
        self.args: tuple[int, ...] = ()
        self.why = 0
        self.hits = MAX_HITS
        self.traumas_new = self.traumas_physical = self.traumas_mental = 0
        self.lasting_physical = self.lasting_mental = 0
        self.death_left_ms = self.sudden_kind = self.fouls = 0
        self.ends: dict[str, int] = {}

    def send(self, event: str) -> None:
        """Give the event to the library's machines."""
        raise NotImplementedError

    def step(self, now_ms: int, event: int, args: tuple[int, ...]) -> int:
        """Fire due timers, then the event; return 0 or the number of the refusal."""
        while self.ends:
            track = min(self.ends, key=self.ends.__getitem__)
            end_ms = self.ends[track]
            if end_ms > now_ms:
                break
            self.now_ms = end_ms
            self.send(TIME_UP[track])
        self.now_ms = now_ms
        for value, (low, high) in zip(args, by_hand.LIMITS[event], strict=True):
            if not low <= value <= high:
                return by_hand.BAD_ARGUMENTS
        self.args = args
        self.why = 0
        self.send(EVENTS[event])
        return self.why

    def view(self) -> tuple[int, ...]:
        """Return states, counters and ms left, in the order of the ruleset."""
        states = [names.index(getattr(self, track)) for track, names in STATES.items()]
        counters = [int(getattr(self, name)) for name in COUNTERS]
        left = [self.ends.get(track, self.now_ms - 1) - self.now_ms for track in STATES]
        return (*states, *counters, *left)

    # Guards.

    def is_safe(self) -> bool:
        return self.place == "safe"

    def is_dead(self) -> bool:
        return self.health == "dead"

    def has_more_hits(self) -> bool:
        return self.hits > self.args[0]

    def is_radical(self) -> bool:
        return self.args[0] == 1

    def is_ordinary(self) -> bool:
        return self.args[0] == 0

    def is_fatal(self) -> bool:
        return self.args[1] == 1

    def can_bear_trauma(self) -> bool:
        return self.traumas_new + self.traumas_physical + self.traumas_mental < TRAUMA_LIMIT

    def has_new_trauma(self) -> bool:
        return self.traumas_new > 0

    def has_trauma(self) -> bool:
        return (self.traumas_mental if self.args[0] else self.traumas_physical) > 0

    def can_heal_trauma(self) -> bool:
        if self.args[0]:
            return self.traumas_mental > self.lasting_mental
        return self.traumas_physical > self.lasting_physical

    # Actions.

    def lose_hits(self) -> None:
        self.hits -= self.args[0]
        self.ends.pop("health", None)

    def lose_all_hits(self) -> None:
        self.hits = 0
        self.ends["health"] = self.now_ms + DEATH_MS

    def start_rest(self) -> None:
        self.ends["health"] = self.now_ms + REST_MS // 2

    def start_second_half(self) -> None:
        self.ends["health"] = self.now_ms + REST_MS - REST_MS // 2

    def start_recovery(self) -> None:
        self.ends["health"] = self.now_ms + RECOVERY_MS

    def start_operation(self) -> None:
        self.death_left_ms = self.ends["health"] - self.now_ms
        self.ends["health"] = self.now_ms + OPERATION_MS

    def go_on_dying(self) -> None:
        self.ends["health"] = self.now_ms + self.death_left_ms

    def recover_with_trauma(self) -> None:
        if self.can_bear_trauma():
            self.add_trauma()
        self.start_recovery()

    def stop_health(self) -> None:
        self.ends.pop("health", None)

    def heal(self) -> None:
        self.hits = MAX_HITS
        self.stop_health()

    def die(self) -> None:
        """Death ends what lies over it: the "always" rules of the ruleset."""
        self.stop_health()
        if self.overlay != "awake":
            self.send("time_up_overlay")
        if self.mind != "calm":
            self.send("time_up_mind")

    def add_trauma(self) -> None:
        self.traumas_new = min(self.traumas_new + 1, COUNTER_MAX)

    def diagnose_trauma(self) -> None:
        self.traumas_new -= 1
        lasts = not self.args[2]
        if self.args[0]:
            self.traumas_mental = min(self.traumas_mental + 1, COUNTER_MAX)
            self.lasting_mental = min(self.lasting_mental + lasts, COUNTER_MAX)
        else:
            self.traumas_physical = min(self.traumas_physical + 1, COUNTER_MAX)
            self.lasting_physical = min(self.lasting_physical + lasts, COUNTER_MAX)

    def heal_trauma(self) -> None:
        if self.args[0]:
            self.traumas_mental -= 1
        else:
            self.traumas_physical -= 1

    def start_knockdown(self) -> None:
        self.ends["overlay"] = self.now_ms + KNOCKDOWN_MS

    def start_unconscious(self) -> None:
        self.ends["overlay"] = self.now_ms + UNCONSCIOUS_MS

    def stop_overlay(self) -> None:
        self.ends.pop("overlay", None)

    def start_sudden(self) -> None:
        self.sudden_kind = self.args[0] + 1
        self.ends.pop("mind", None)
        if self.args[1]:
            self.ends["mind"] = self.now_ms + self.args[1] * 60_000

    def stop_sudden(self) -> None:
        self.sudden_kind = 0
        self.ends.pop("mind", None)

    def add_foul(self) -> None:
        self.fouls = min(self.fouls + 1, FOULS_MAX)

    def exclude_player(self) -> None:
        self.send("leave")

    # Refusals.

    def refuse_dead(self) -> None:
        is_excluded = self.conduct == "excluded"
        self.why = by_hand.IS_EXCLUDED if is_excluded else by_hand.IS_DEAD


TIME_UP = {track: f"time_up_{track}" for track in TIMED}


def _refusal(number: int):
    def refuse(self: Player) -> None:
        self.why = number

    return refuse


for _name in (
    *("not_in_combat", "no_hits_left", "nothing_to_treat", "bandage_not_due", "no_bandage"),
    *("not_dying", "other_operation", "no_operation", "nothing_to_diagnose", "no_such_trauma"),
    *("cannot_be_healed", "no_sudden_state", "already_there"),
):
    setattr(Player, f"refuse_{_name}", _refusal(getattr(by_hand, _name.upper())))
setattr(Player, "refuse_resting", _refusal(by_hand.IS_RESTING))  # noqa: B010 - made like those above

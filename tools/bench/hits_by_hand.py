"""The hits rules written by hand as if/else, as today's games do it.

What the engine is measured by: the same rules as `rulesets/hits.toml`, with its numbers of events,
states, refusals and signals; the bench checks first that both agree on every event. It runs on
both Pythons. It is no part of a badge: another game would be another such file.
"""

WINDOW_MS = 10_000
HISTORY_LIMIT = 32

# fmt: off
(VOID, HIT, STUN, KNOCK_OUT, TREAT, BANDAGE, OPERATION_START, OPERATION, TRAUMA, DIAGNOSE,
 TREAT_TRAUMA, BREAK_OFF, SUDDEN, SUDDEN_END, PLACE, FOUL, EXCLUDE) = range(17)
(HEALTHY, WOUNDED, DYING, OPERATED, RADICAL, RESTING, BANDAGE_DUE, BANDAGE_OVERDUE, RESTED,
 RECOVERING, DEAD) = range(11)
AWAKE, KNOCKDOWN, UNCONSCIOUS = range(3)
(APPLIED, NOT_APPLICABLE, BAD_ARGUMENTS, UNKNOWN_EVENT, _ENDLESS, NOTHING_TO_VOID, IS_DEAD,
 NO_HITS_LEFT, NOTHING_TO_TREAT, IS_RESTING, BANDAGE_NOT_DUE, NO_BANDAGE, NOT_DYING,
 OTHER_OPERATION, TRAUMA_LIMIT, NOTHING_TO_DIAGNOSE, NO_SUCH_TRAUMA, CANNOT_BE_HEALED,
 NO_OPERATION, IS_EXCLUDED, NOT_IN_COMBAT, NO_SUDDEN_STATE, ALREADY_THERE) = range(23)
(SHOW_EXCLUDED, SHOW_DEAD, SHOW_DYING, SHOW_OPERATION, SHOW_UNCONSCIOUS, SHOW_KNOCKDOWN,
 SHOW_SUDDEN, SHOW_BANDAGE_DUE, SHOW_RESTING, SHOW_RECOVERING, SHOW_WOUNDED, SHOW_SAFE,
 SHOW_TRAUMA, SHOW_HEALTHY) = range(14)
# fmt: on
LIMITS = (
    ((1, 32),),
    ((1, 9), (0, 2)),
    (),
    (),
    (),
    (),
    ((0, 1),),
    ((0, 1), (0, 1)),
    ((0, 1),),
    ((0, 1), (0, 99), (0, 1)),
    ((0, 1),),
    (),
    ((0, 2), (0, 1440)),
    ((0, 1),),
    ((0, 1),),
    ((0, 2), (0, 65535)),
    (),
)


def is_hit(entry):
    """Return whether this of the history is a hit that counted."""
    return entry[1] == HIT and entry[3] is not None


class Hits:
    """One player of the hits game. step: 0 or the number of the refusal, as the engine's."""

    def __init__(self, max_hits=3):
        self.max_hits = max_hits
        self.death_ms = 900_000
        self.rest_ms = 900_000
        self.recovery_ms = 1_500_000
        self.operation_ms = 600_000
        self.unconscious_ms = 60_000
        self.knockdown_ms = 15_000
        self.trauma_limit = 5
        self.extra_trauma_kills = 1
        self.hit_ends_recovery = 0
        self.now_ms = 0
        self.history = []
        self.hits = max_hits
        self.new = self.physical = self.mental = 0
        self.lasting_physical = self.lasting_mental = 0
        self.death_left_ms = self.sudden_kind = self.fouls = 0
        self.health = HEALTHY
        self.overlay = AWAKE
        self.is_sudden = self.is_safe = self.is_excluded = False
        self.health_end = self.overlay_end = self.sudden_end = -1

    # Time.

    def advance(self, now_ms):
        """Let time pass; end what is due, the earliest first."""
        while True:
            first = self.health_end
            if self.overlay_end >= 0 and (first < 0 or self.overlay_end < first):
                first = self.overlay_end
            if self.sudden_end >= 0 and (first < 0 or self.sudden_end < first):
                first = self.sudden_end
            if first < 0 or first > now_ms:
                break
            self.now_ms = first
            if self.health_end == first:
                self.health_time_up()
            elif self.overlay_end == first:
                self.overlay = AWAKE
                self.overlay_end = -1
            else:
                self.calm()
        if now_ms > self.now_ms:
            self.now_ms = now_ms

    def health_time_up(self):
        """The timer of the state of health has run out."""
        if self.health == DYING:
            self.die()
        elif self.health == OPERATED or self.health == RADICAL:
            self.go(DYING, self.death_left_ms)
        elif self.health == RESTING:
            self.go(BANDAGE_DUE, self.rest_ms - self.rest_ms // 2)
        elif self.health == BANDAGE_DUE:
            self.go(BANDAGE_OVERDUE, 0)
        else:
            self.heal()

    def go(self, health, ms):
        """Change the state of health; its timer runs for `ms`, 0 for none."""
        self.health = health
        self.health_end = self.now_ms + ms if ms > 0 else -1

    def heal(self):
        """All hits are restored."""
        self.hits = self.max_hits
        self.go(HEALTHY, 0)

    def calm(self):
        """End a sudden state."""
        self.is_sudden = False
        self.sudden_kind = 0
        self.sudden_end = -1

    def die(self):
        """Death ends everything that lies over it."""
        self.go(DEAD, 0)
        self.overlay = AWAKE
        self.overlay_end = -1
        if self.is_sudden:
            self.calm()

    # Events.

    def step(self, now_ms, event, args=()):
        """Apply an event; return 0 or the number of the refusal."""
        self.advance(now_ms)
        if not 0 <= event <= EXCLUDE:
            return UNKNOWN_EVENT
        if event == VOID:
            return self.void(args)
        limits = LIMITS[event]
        if len(args) != len(limits):
            return BAD_ARGUMENTS
        for i, (low, high) in enumerate(limits):
            if not low <= args[i] <= high:
                return BAD_ARGUMENTS
        if event != HIT and not self.history:
            return self.apply(event, args)
        before = self.save()
        outcome = self.apply(event, args)
        if outcome and not self.history:
            return outcome
        self.forget_old()
        entry = (self.now_ms, event, args, None if outcome else before)
        if self.history or is_hit(entry):
            self.history.append(entry)
            if len(self.history) > HISTORY_LIMIT:
                self.history.pop(0)
                self.forget_old()
        return outcome

    def apply(self, event, args):
        """Apply an event with good arguments."""
        if self.is_excluded:
            return IS_EXCLUDED
        if event == FOUL:
            self.fouls = min(self.fouls + 1, 99)
            return APPLIED
        if event == EXCLUDE:
            self.is_excluded = True
            self.calm()
            self.die()
            return APPLIED
        if self.health == DEAD:
            return IS_DEAD
        if event == HIT:
            return self.hit(args[0])
        if event == TREAT:
            return self.treat()
        if event == BANDAGE:
            return self.bandage()
        if event == STUN:
            return self.stun()
        if event == KNOCK_OUT:
            if self.is_safe:
                return NOT_IN_COMBAT
            self.overlay = UNCONSCIOUS
            self.overlay_end = self.now_ms + self.unconscious_ms
            return APPLIED
        if event == OPERATION_START:
            if self.health != DYING:
                return NOT_DYING
            self.death_left_ms = self.health_end - self.now_ms
            self.go(RADICAL if args[0] else OPERATED, self.operation_ms)
            return APPLIED
        if event == BREAK_OFF:
            if self.health != OPERATED and self.health != RADICAL:
                return NO_OPERATION
            self.go(DYING, self.death_left_ms)
            return APPLIED
        if event == OPERATION:
            return self.operation(args[0], args[1])
        if event == TRAUMA:
            return self.trauma()
        if event == DIAGNOSE:
            return self.diagnose(args[0], args[2])
        if event == TREAT_TRAUMA:
            return self.treat_trauma(args[0])
        return self.staff(event, args)

    def hit(self, n):
        if self.is_safe:
            return NOT_IN_COMBAT
        health = self.health
        if health == DYING or health == OPERATED or health == RADICAL:
            return NO_HITS_LEFT
        if health == RECOVERING:
            if not self.hit_ends_recovery:
                return NO_HITS_LEFT
            self.go(DYING, self.death_ms)
        elif self.hits > n:
            self.hits -= n
            self.go(WOUNDED, 0)
        else:
            self.hits = 0
            self.go(DYING, self.death_ms)
        return APPLIED

    def stun(self):
        if self.is_safe:
            return NOT_IN_COMBAT
        if self.overlay == UNCONSCIOUS:
            return ALREADY_THERE
        self.overlay = KNOCKDOWN
        self.overlay_end = self.now_ms + self.knockdown_ms
        return APPLIED

    def treat(self):
        health = self.health
        if health == WOUNDED:
            self.go(RESTING, self.rest_ms // 2)
        elif health == RESTING or health == RESTED or health == RECOVERING:
            return IS_RESTING
        elif health == BANDAGE_DUE:
            self.health = RESTED
        elif health == BANDAGE_OVERDUE:
            self.heal()
        elif health == DYING or health == OPERATED or health == RADICAL:
            if health == RADICAL and self.traumas() < self.trauma_limit:
                self.new = min(self.new + 1, 9)
            self.go(RECOVERING, self.recovery_ms)
        else:
            return NOTHING_TO_TREAT
        return APPLIED

    def bandage(self):
        if self.health == RESTING:
            return BANDAGE_NOT_DUE
        if self.health == BANDAGE_DUE:
            self.health = RESTED
        elif self.health == BANDAGE_OVERDUE:
            self.heal()
        else:
            return NO_BANDAGE
        return APPLIED

    def operation(self, is_radical, is_death):
        health = self.health
        if (health == OPERATED and is_radical) or (health == RADICAL and not is_radical):
            return OTHER_OPERATION
        if health != DYING and health != OPERATED and health != RADICAL:
            return NOT_DYING
        if is_death and not is_radical:
            self.die()
            return APPLIED
        if is_radical and self.traumas() < self.trauma_limit:
            self.new = min(self.new + 1, 9)
        self.go(RECOVERING, self.recovery_ms)
        return APPLIED

    def traumas(self):
        return self.new + self.physical + self.mental

    def trauma(self):
        if self.traumas() < self.trauma_limit:
            self.new = min(self.new + 1, 9)
        elif self.extra_trauma_kills:
            self.die()
        else:
            return TRAUMA_LIMIT
        return APPLIED

    def diagnose(self, is_mental, is_curable):
        if not self.new:
            return NOTHING_TO_DIAGNOSE
        self.new -= 1
        if is_mental:
            self.mental = min(self.mental + 1, 9)
            self.lasting_mental = min(self.lasting_mental + (not is_curable), 9)
        else:
            self.physical = min(self.physical + 1, 9)
            self.lasting_physical = min(self.lasting_physical + (not is_curable), 9)
        return APPLIED

    def treat_trauma(self, is_mental):
        count = self.mental if is_mental else self.physical
        if not count:
            return NO_SUCH_TRAUMA
        if count == (self.lasting_mental if is_mental else self.lasting_physical):
            return CANNOT_BE_HEALED
        if is_mental:
            self.mental -= 1
        else:
            self.physical -= 1
        return APPLIED

    def staff(self, event, args):
        if event == SUDDEN:
            self.is_sudden = True
            self.sudden_kind = args[0] + 1
            self.sudden_end = self.now_ms + args[1] * 60_000 if args[1] else -1
        elif event == SUDDEN_END:
            if not self.is_sudden:
                return NO_SUDDEN_STATE
            self.calm()
        else:
            if self.is_safe == (args[0] == 1):
                return ALREADY_THERE
            self.is_safe = args[0] == 1
        return APPLIED

    # Taking back.

    def save(self):
        # fmt: off
        return (
            self.hits, self.new, self.physical, self.mental, self.lasting_physical,
            self.lasting_mental, self.sudden_kind, self.fouls, self.health, self.overlay,
            self.is_sudden, self.is_safe, self.is_excluded, self.health_end, self.overlay_end,
            self.sudden_end, self.death_left_ms,
        )
        # fmt: on

    def load(self, saved):
        # fmt: off
        (
            self.hits, self.new, self.physical, self.mental, self.lasting_physical,
            self.lasting_mental, self.sudden_kind, self.fouls, self.health, self.overlay,
            self.is_sudden, self.is_safe, self.is_excluded, self.health_end, self.overlay_end,
            self.sudden_end, self.death_left_ms,
        ) = saved
        # fmt: on

    def forget_old(self):
        history = self.history
        while history and not (is_hit(history[0]) and history[0][0] >= self.now_ms - WINDOW_MS):
            history.pop(0)

    def void(self, args):
        """Take back the latest hits: what came after them is worked out again."""
        if not 1 <= len(args) <= 2 or not 1 <= args[0] <= 32:
            return BAD_ARGUMENTS
        self.forget_old()
        history = self.history
        doomed = []
        for i, entry in enumerate(history):
            if is_hit(entry) and (len(args) == 1 or entry[2][1] == args[1]):
                doomed.append(i)
        doomed = doomed[-args[0] :]
        if not doomed:
            return NOTHING_TO_VOID
        now_ms = self.now_ms
        first = doomed[0]
        if len(args) == 2:  # refused presses go with the presses before them
            for i in range(first, len(history)):
                if history[i][3] is None and args[1] == 0 and history[i][1:3] == (HIT, (1, 0)):
                    doomed.append(i)
        self.history = history[:first]
        self.now_ms = history[first][0]
        self.load(history[first][3])
        for i in range(first, len(history)):
            if i not in doomed:
                self.step(history[i][0], history[i][1], history[i][2])
        self.advance(now_ms)
        return APPLIED

    # What the badge shows.

    def signal(self):
        """Return the number of the signal."""
        health = self.health
        if self.is_excluded:
            return SHOW_EXCLUDED
        if health == DEAD:
            return SHOW_DEAD
        if health == DYING:
            return SHOW_DYING
        if health == OPERATED or health == RADICAL:
            return SHOW_OPERATION
        if self.overlay == UNCONSCIOUS:
            return SHOW_UNCONSCIOUS
        if self.overlay == KNOCKDOWN:
            return SHOW_KNOCKDOWN
        if self.is_sudden:
            return SHOW_SUDDEN
        if health == BANDAGE_DUE or health == BANDAGE_OVERDUE:
            return SHOW_BANDAGE_DUE
        if health == RESTING or health == RESTED:
            return SHOW_RESTING
        if health == RECOVERING:
            return SHOW_RECOVERING
        if health == WOUNDED:
            return SHOW_WOUNDED
        if self.is_safe:
            return SHOW_SAFE
        return SHOW_TRAUMA if self.traumas() else SHOW_HEALTHY

    def view(self):
        """Return states, counters and ms left, in the order of the ruleset."""
        ends = (self.health_end, self.overlay_end, self.sudden_end, -1, -1)
        flags = (int(self.is_sudden), int(self.is_safe), int(self.is_excluded))
        # fmt: off
        counters = (
            self.hits, self.new, self.physical, self.mental, self.lasting_physical,
            self.lasting_mental, self.sudden_kind, self.fouls,
        )
        # fmt: on
        left = tuple([end - self.now_ms if end >= 0 else -1 for end in ends])
        return (self.health, self.overlay) + flags + counters + left + (self.signal(),)

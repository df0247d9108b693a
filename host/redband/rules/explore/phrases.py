# ruff: noqa: E501 - one sentence a line reads best
"""The explorer's sentences: (English, Russian) by key. A fault has a sentence and a `_hint`."""

PHRASES: dict[str, tuple[str, str]] = {
    # How much was seen.
    "exhausted": (
        "Exhausted: all {situations} situations and {steps} steps between them were seen, in {seconds} s.",
        "Исчерпано: просмотрены все ситуации ({situations}) и переходы между ними ({steps}), за {seconds} с.",
    ),
    "not_exhausted": (
        "Not exhausted: {situations} situations and {steps} steps were seen, in {seconds} s, with this bound:",
        "Не исчерпано: просмотрено ситуаций: {situations}, переходов: {steps}, за {seconds} с, с ограничениями:",
    ),
    "limit": (
        "a part was left after {situations} situations; what it would still show is unknown",
        "часть оставлена после {situations} ситуаций; что было бы дальше, неизвестно",
    ),
    "classes": (
        "counter {counter} was looked at in {count} classes of values, not value by value",
        "счётчик {counter} рассмотрен по классам значений ({count}), а не по каждому значению",
    ),
    "free": (
        'times of "{track}" that counters decide were tried as 0 and as more, not worked out',
        "времена «{track}», зависящие от счётчиков, взяты и нулевыми, и больше нуля, без вычисления",
    ),
    "sampled": (
        "argument {arg} of {event} was tried with some of its values",
        "аргумент {arg} события {event} испытан не со всеми значениями",
    ),
    "time_note": (
        "A running timer was taken to end at any moment; taking back (void) leads to situations seen anyway.",
        "Считается, что идущий таймер может кончиться в любой момент; отмена (void) ведёт в уже виденные ситуации.",
    ),
    # Faults.
    "never_state": ("{state} can't be reached.", "{state}: недостижимо."),
    "never_state_hint": (
        'add a rule with do = "{track} -> {name}", or remove the state',
        'добавьте правило с do = "{track} -> {name}" или уберите состояние',
    ),
    "trap": (
        "Once in {state} in the way below, a player stays there: no rule for it leads out, and it is not declared final.",
        "Попав в {state} так, как показано, игрок там и останется: правила, которое выводит, нет, а конечным оно не объявлено.",
    ),
    "trap_hint": (
        'add a rule that leads out, with in = {{ {track} = "{name}" }} or after = "{track}.{name}", or write final = true',
        'добавьте правило, которое выводит, с in = {{ {track} = "{name}" }} или after = "{track}.{name}", либо напишите final = true',
    ),
    "final_left": (
        "{state} is declared final, but is left for {after}.",
        "{state} объявлено конечным, но из него есть выход: {after}.",
    ),
    "final_left_hint": (
        "refuse the event in that state, or remove final = true",
        "откажите событию в этом состоянии или уберите final = true",
    ),
    "endless": ('"always" rules without an end: {rules}.', "Правила always без конца: {rules}."),
    "endless_hint": (
        "change a condition so that it no longer holds after the rule has run",
        "измените условие так, чтобы после правила оно больше не выполнялось",
    ),
    "never_timer": (
        "The timer of {state} never runs: its time is never above 0.",
        "Таймер {state} никогда не идёт: его время всегда 0.",
    ),
    "never_timer_hint": (
        "give the state a time above 0, or a time where it is entered (-> {name} for ...)",
        "задайте состоянию время больше 0 или время при входе (-> {name} for ...)",
    ),
    "paused": (
        "The timer of {state} cannot end: it can be paused, and then nothing lets it go on.",
        "Таймер {state} не может кончиться: остановленный, он ничем не запускается.",
    ),
    "paused_hint": (
        'add a rule with do = "resume {track}", or one that leads out of the state',
        'добавьте правило с do = "resume {track}" или правило, выводящее из состояния',
    ),
    "restarted": (
        "The timer of {state} cannot end: while nobody does anything, other rules start it again each time.",
        "Таймер {state} не может кончиться: когда никто ничего не делает, другие правила запускают его снова.",
    ),
    "restarted_hint": (
        "start the timer only once: a condition such as left({track}) == 0 helps",
        "запускайте таймер один раз: помогает условие вроде left({track}) == 0",
    ),
    "round": (
        "Timers lead round and round for ever, and no event leads out: {states}.",
        "Таймеры водят по кругу без конца, и ни одно событие не выводит: {states}.",
    ),
    "round_hint": ("add a rule that leads out", "добавьте правило, которое выводит"),
    "never_rule": (
        "This rule can never fire: {rule}.",
        "Это правило никогда не сработает: {rule}.",
    ),
    "never_rule_hint": (
        "look at the rules above it that refuse, and at its condition; or remove it",
        "посмотрите на отказы выше и на его условие; или уберите его",
    ),
    "never_event": (
        "No state accepts event {event}.",
        "Ни одно состояние не принимает событие {event}.",
    ),
    "never_event_hint": (
        "add a rule for it, or remove it",
        "добавьте для него правило или уберите его",
    ),
    "never_signal": (
        "Signal {signal} is never shown.",
        "Сигнал {signal} никогда не показывается.",
    ),
    "never_signal_hint": (
        "put it above the signals that hide it, or correct its condition",
        "поставьте его выше сигналов, которые его закрывают, или исправьте условие",
    ),
    "alike": (
        "Signals {a} and {b} look alike to a colour-blind player.",
        "Сигналы {a} и {b} неотличимы для дальтоника.",
    ),
    "alike_hint": ("change a pattern of one of them", "измените рисунок одного из них"),
    "alike_next": (
        "Signals {a} and {b} follow each other, and to a colour-blind player their lights look alike; only the vibration differs.",
        "Сигналы {a} и {b} сменяют друг друга, а огни их для дальтоника одинаковы; различается только вибрация.",
    ),
    "alike_next_hint": (
        "change a light pattern of one of them",
        "измените рисунок огней одного из них",
    ),
    # Paths.
    "way": ("   How it comes about:", "   Как это получается:"),
    "start": ("0:00:00  start: {states}", "0:00:00  начало: {states}"),
    "time_up": ("time is up: {state}", "время вышло: {state}"),
    "unsure": (
        "(this order was not confirmed on the engine: times may not allow it)",
        "(этот порядок не подтверждён движком: времена могут его не допускать)",
    ),
    # What is not known, and notes.
    "undecided": ("Undecided within the bound:", "Не решено в пределах ограничений:"),
    "goal_state": ("reaching {state}", "достижение {state}"),
    "goal_timer": ("running the timer of {state}", "ход таймера {state}"),
    "goal_rule": ("firing rule {rule}", "срабатывание правила {rule}"),
    "goal_event": ("accepting event {event}", "принятие события {event}"),
    "goal_signal": ("showing signal {signal}", "показ сигнала {signal}"),
    "unconfirmed": (
        "perhaps, not shown on the engine: {what}",
        "возможно, на движке не показано: {what}",
    ),
    "goal_track": ("traps and timers of {track}", "тупики и таймеры: {track}"),
    "accepted": (
        "Note: {a} and {b} look alike (same_as) and can follow each other.",
        "Замечание: {a} и {b} одинаковы (same_as) и могут сменять друг друга.",
    ),
    "only_with": (
        "Note: {what} needs another setting, such as {params}.",
        "Замечание: {what} — только при другой настройке, например {params}.",
    ),
    "no_faults": ("No faults found.", "Ошибок не найдено."),
    "faults": ("Faults found: {count}.", "Найдено ошибок: {count}."),
}

"""What people are told for each number of `redband_core.numbers`, English and Russian.

Guarantee: the only place for such texts; each number has its own (a test compares the two).
"""

from __future__ import annotations

from collections.abc import Mapping

from redband_core import numbers
from redband_core.errors import RedbandError

Texts = Mapping[int, tuple[str, str]]

ROLES: Texts = {
    numbers.ROLE_PLAYER: ("player", "игрок"),
    numbers.ROLE_MEDIC: ("medic", "медик"),
    numbers.ROLE_MARSHAL: ("marshal", "судья"),
    numbers.ROLE_GAME_MASTER: ("game master", "мастер игры"),
    numbers.ROLE_TECHNICIAN: ("technician", "техник"),
}
NOTES: Texts = {
    numbers.NOTE_TORN_TAIL: ("bytes of a cut record: {}", "байт оборванной записи: {}"),
    numbers.NOTE_SHED: (
        "records left out, journal full: {}",
        "записей пропущено, журнал полон: {}",
    ),
    numbers.NOTE_TASK_RESTARTED: ("task failed: {}", "сбой задачи: {}"),
    numbers.NOTE_SAFE_MODE: ("safe mode: {}", "аварийный режим: {}"),
    numbers.NOTE_INPUT_STUCK: (
        "contact stuck (below 0: free again): {}",
        "контакт залип (меньше 0: свободен): {}",
    ),
    numbers.NOTE_EDGES_LOST: ("presses may have been lost: {}", "возможно, нажатия потеряны: {}"),
    numbers.NOTE_RADIO_OFF: ("radio off, error {}", "радио выключено, ошибка {}"),
    numbers.NOTE_LOW_BATTERY: ("battery low: {} mV", "батарея садится: {} мВ"),
    numbers.NOTE_SETTINGS_REFUSED: ("settings: {}", "настройки: {}"),
    numbers.NOTE_TASK_SILENT: ("task hangs: {}", "задача зависла: {}"),
    numbers.NOTE_INPUT_DROPPED: (
        "inputs lost, queue full: {}",
        "нажатий потеряно, очередь полна: {}",
    ),
    numbers.NOTE_NEW_GAME: (
        "set up anew, the old state is over",
        "подготовлена заново, прежнее состояние снято",
    ),
    numbers.NOTE_BOOT_CONTINUES: ("same start goes on: {}", "тот же запуск продолжается: {}"),
    numbers.NOTE_PROVISIONED: ("set up as: {}", "настроена как: {}"),
    numbers.NOTE_RAW_GESTURE: ("gesture without rules: {}", "жест без правил: {}"),
    numbers.NOTE_SHED_SEGMENT: ("oldest records dropped: {}", "старейших записей удалено: {}"),
    numbers.NOTE_SENSOR: ("sensor: {}", "датчик: {}"),
    numbers.NOTE_PRESSES_IGNORED: ("presses ignored: {}", "нажатий не засчитано: {}"),
    numbers.NOTE_IMPACTS_IGNORED: ("blows ignored: {}", "ударов не засчитано: {}"),
    numbers.NOTE_INPUT_SPIKES: ("spikes on a contact: {}", "помехи на контакте: {}"),
    numbers.NOTE_GESTURES_DROPPED: ("gestures lost: {}", "жестов потеряно: {}"),
    numbers.NOTE_TRANSPORT_ON: ("goes to sleep: {}", "засыпает: {}"),
    numbers.NOTE_TRANSPORT_WOKEN: ("woken by a long hold", "разбужена долгим нажатием"),
    numbers.NOTE_BATTERY_CRITICAL: ("battery nearly empty: {} mV", "батарея почти пуста: {} мВ"),
    numbers.NOTE_GAME_ENDED: ("the game is over", "игра окончена"),
    numbers.NOTE_GAME_BEGUN: ("the game begins", "игра началась"),
    numbers.NOTE_SELF_TEST: ("self-test {}", "самопроверка {}"),
    numbers.NOTE_SELF_TEST_FLASH_MS: (
        "slowest flash operation: {} ms",
        "самая долгая операция флеш: {} мс",
    ),
    numbers.NOTE_HUNG_TASK: ("hung before this start: {}", "зависла перед этим запуском: {}"),
    numbers.NOTE_AUTH_REFUSED: ("refused for want of a key: {}", "отказано, нет ключа: {}"),
    numbers.NOTE_KEYS_DAMAGED: ("key file damaged, bytes: {}", "файл ключей повреждён, байт: {}"),
    numbers.NOTE_EMERGENCY: ("{}", "{}"),
    numbers.NOTE_BROADCAST: ("heard broadcast {}", "принят приказ {} для всех"),
    numbers.NOTE_SENT_BY: ("asked for by the {}", "запросил {}"),
    numbers.NOTE_OBSERVER_OFF: ("cannot listen, error {}", "приём не работает, ошибка {}"),
    numbers.NOTE_UPDATE_BEGUN: ("update begun: {}", "обновление начато: {}"),
    numbers.NOTE_UPDATE_APPLIED: (
        "update at the next start: {}",
        "обновление при следующем запуске: {}",
    ),
    numbers.NOTE_UPDATE_CONFIRMED: (
        "new firmware stays, starts on trial: {}",
        "прошивка принята, пробных запусков: {}",
    ),
    numbers.NOTE_HEAP_SHORT: (
        "memory short, starts again: {} bytes left",
        "памяти мало, перезапуск: осталось байт {}",
    ),
    numbers.NOTE_UPDATE_ROLLED_BACK: (
        "firmware before is back, cause {}",
        "возвращена прежняя прошивка, причина {}",
    ),
    numbers.NOTE_OF_RULES: ("noted: {}", "отмечено: {}"),
    numbers.NOTE_RETRACTED: ("note taken back: {}", "отметка отменена: {}"),
}
"""{}: the value, in words where it is a number of its own table."""
REASONS: Texts = {
    0: ("no", "нет"),
    numbers.REASON_SETTINGS: ("settings", "настройки"),
    numbers.REASON_RULESET: ("ruleset", "правила"),
    numbers.REASON_TASKS: ("tasks kept failing", "повторные сбои задач"),
    numbers.REASON_BOOTS: ("starts kept failing", "повторные сбои запуска"),
    numbers.REASON_JOURNAL: ("journal", "журнал"),
}
PROBLEMS: Texts = {
    numbers.PROBLEM_NONE: ("good", "в порядке"),
    numbers.PROBLEM_MISSING: ("missing", "файла нет"),
    numbers.PROBLEM_SYNTAX: ("no JSON", "не JSON"),
    numbers.PROBLEM_KEYS: ("a key is missing or unknown", "ключа нет или он неизвестен"),
    numbers.PROBLEM_VALUE: ("a value is wrong", "неверное значение"),
    numbers.PROBLEM_READ: ("unreadable", "не читается"),
    numbers.PROBLEM_RULES: (
        "numbers that the ruleset refuses",
        "числа, которых правила не допускают",
    ),
}
TASKS: Texts = {
    numbers.TASK_NONE: ("start", "запуск"),
    numbers.TASK_INPUT: ("input", "ввод"),
    numbers.TASK_GAME: ("game", "игра"),
    numbers.TASK_LED: ("lights", "свет"),
    numbers.TASK_RADIO: ("radio", "радио"),
    numbers.TASK_POWER: ("power", "питание"),
    numbers.TASK_SENSOR: ("sensor", "датчик"),
}
FAULTS: Texts = {
    numbers.FAULT_RADIO: ("radio", "радио"),
    numbers.FAULT_JOURNAL: ("journal", "журнал"),
    numbers.FAULT_TASK: ("task", "задача"),
    numbers.FAULT_SENSOR: ("sensor", "датчик"),
    numbers.FAULT_SELF_TEST: ("self-test", "самопроверка"),
    numbers.FAULT_OBSERVER: ("listening", "приём"),
}
CAUSES: Texts = {
    numbers.CAUSE_UNKNOWN: ("unknown cause", "причина неизвестна"),
    numbers.CAUSE_POWER_ON: ("battery out or brownout", "без питания: батарея или просадка"),
    numbers.CAUSE_RESET: ("reset", "сброс"),
    numbers.CAUSE_WATCHDOG: ("watchdog", "сторожевой таймер"),
    numbers.CAUSE_DEEP_SLEEP: ("woken from sleep", "проснулась"),
    numbers.CAUSE_SOFT_RESET: ("soft reset", "программный сброс"),
}
UPDATES: Texts = {
    numbers.UPDATE_TAKE: ("taken over at the next start", "вступит в силу при следующем запуске"),
    numbers.UPDATE_TRIAL: ("on trial", "на проверке"),
    numbers.UPDATE_BACK: ("being taken back", "откатывается"),
    numbers.UPDATE_TOLD: ("taken back", "откачено"),
    numbers.UPDATE_GOOD: (
        "stays, the old version is being removed",
        "принято, старая версия удаляется",
    ),
}
STEPS: Texts = {
    numbers.STEP_FLASH: ("flash", "флеш-память"),
    numbers.STEP_BATTERY: ("battery", "батарея"),
    numbers.STEP_LIGHTS: ("lights", "свет"),
    numbers.STEP_RADIO: ("radio", "радио"),
    numbers.STEP_SENSOR_CHIP: ("sensor chip", "микросхема датчика"),
    numbers.STEP_BUTTON: ("button and green light", "кнопка и зелёный свет"),
    numbers.STEP_IMPACT: ("impact sensor and red light", "датчик удара и красный свет"),
    numbers.STEP_CUT_OFF: ("cut off", "прервана"),
}
AWAKE: Texts = {
    numbers.MAY_SLEEP: ("sleeps when it can", "спит, когда может"),
    numbers.AWAKE_USB: ("a computer is at the USB port", "подключён USB"),
    numbers.AWAKE_CONNECTED: ("a host is connected", "есть соединение"),
    numbers.AWAKE_ADVERTISING: ("it advertises", "передаёт по радио"),
    numbers.AWAKE_SENSOR: ("the impact sensor listens", "слушает датчик удара"),
    numbers.AWAKE_RECENT_ACTION: ("just used", "только что нажимали"),
    numbers.AWAKE_USB_LOOK: ("looks for a computer", "проверяет USB"),
    numbers.AWAKE_INPUT_BUSY: ("an input is going on", "идёт нажатие"),
    numbers.AWAKE_LED_ON: ("a light is on", "горит свет"),
    numbers.AWAKE_TIMER_DUE: ("something is due soon", "скоро событие"),
    numbers.AWAKE_NO_SLEEPER: ("not in safe mode", "не в аварийном режиме"),
}
SENSOR: Texts = {
    numbers.SENSOR_GOOD: ("works", "работает"),
    numbers.SENSOR_MISSING: ("does not answer", "не отвечает"),
    numbers.SENSOR_WRONG_CHIP: ("another chip", "другая микросхема"),
    numbers.SENSOR_BUS: ("bus failed", "сбой шины"),
    numbers.SENSOR_RESET: ("lost its settings", "потерял настройки"),
}
SLEEP: Texts = {
    numbers.SLEEP_TRANSPORT: ("for transport", "для перевозки"),
    numbers.SLEEP_AUTO_OFF: ("nobody needed it", "никому не нужна"),
}
EMERGENCIES: Texts = {
    0: ("the real emergency is over", "настоящая беда миновала"),
    1: ("REAL EMERGENCY, not the game", "НАСТОЯЩАЯ БЕДА, не игра"),
}
BROADCASTS: Texts = {
    numbers.BROADCAST_PAUSE: ("to all: stop the game", "всем: стоп игра"),
    numbers.BROADCAST_RESUME: ("to all: the game goes on", "всем: игра продолжается"),
    numbers.BROADCAST_FIGHT_OVER: ("to all: the fight is over", "всем: бой окончен"),
    numbers.BROADCAST_GAME_OVER: ("to all: the game is over", "всем: игра окончена"),
    numbers.BROADCAST_GAME_BEGINS: ("to all: the game begins", "всем: игра началась"),
}
ANSWERS: Texts = {
    numbers.ANSWER_DONE: ("done", "выполнено"),
    numbers.ANSWER_PAUSED: ("the game is paused", "игра на паузе"),
    numbers.ANSWER_NO_RULES: (
        "the badge is in safe mode and has no rules",
        "повязка в безопасном режиме, без правил",
    ),
    numbers.ANSWER_UNKNOWN: (
        "the badge's rules know no such event",
        "правила повязки не знают такого события",
    ),
    numbers.ANSWER_ROLE: ("our role may not do this", "наша роль не имеет на это права"),
    numbers.ANSWER_BUSY: ("the badge has too much to do; try again", "повязка занята; повторите"),
    numbers.ANSWER_OTHER_RULES: ("the badge plays by other rules", "на повязке другие правила"),
    numbers.ANSWER_OLD: ("the badge has heard it", "повязка это уже слышала"),
    numbers.ANSWER_IMPOSSIBLE: (
        "the badge's board cannot do this",
        "плата повязки этого не умеет",
    ),
    numbers.ANSWER_FORGED: ("it is of another game", "это приказ другой игры"),
    numbers.ANSWER_ALREADY: ("another medic was first", "другой медик был первым"),
    numbers.ANSWER_SELF: ("one's own button is no medic", "своя кнопка не медик"),
    numbers.ANSWER_FOLLOWS: ("cut off before it was decided", "прервано, решения нет"),
    numbers.ANSWER_ASKED: ("no answer was heard", "ответа не слышно"),
}
"""Of badges that a command, a broadcast or a medic's offer reached; more than 0: the ruleset's."""


def text_of(texts: Texts, number: int, language: int) -> str:
    """Return the text of a number, 0 English, 1 Russian; a later firmware's number as it is."""
    return texts[number][language] if number in texts else str(number)


def bits(texts: Texts, value: int, language: int) -> str:
    """Return the texts of each bit of `value`, or a dash."""
    told = [texts[bit][language] for bit in texts if value & bit]
    return ", ".join(told) or "-"


_VALUES = {
    numbers.NOTE_TASK_RESTARTED: TASKS,
    numbers.NOTE_TASK_SILENT: TASKS,
    numbers.NOTE_HUNG_TASK: TASKS,
    numbers.NOTE_SAFE_MODE: REASONS,
    numbers.NOTE_SETTINGS_REFUSED: PROBLEMS,
    numbers.NOTE_SENSOR: SENSOR,
    numbers.NOTE_TRANSPORT_ON: SLEEP,
    numbers.NOTE_EMERGENCY: EMERGENCIES,
    numbers.NOTE_SENT_BY: ROLES,
}


def note(code: int, value: int) -> tuple[str, str]:
    """Return what a NOTE record says, English and Russian; the rules' own notes have names."""
    if code == numbers.NOTE_BROADCAST:
        value >>= 1  # the rest says whether its record follows
    told = NOTES.get(code, (f"note {code}: {{}}", f"отметка {code}: {{}}"))
    values = [text_of(_VALUES.get(code, {}), value, language) for language in (0, 1)]
    return told[0].format(values[0]), told[1].format(values[1])


ERRORS: Mapping[int, str] = {
    numbers.ERROR_NOT_A_RULESET: "not a compiled ruleset",
    numbers.ERROR_RULESET_CHECKSUM: "ruleset is damaged (checksum)",
    numbers.ERROR_RULESET_CUT: "ruleset is cut short",
    numbers.ERROR_RULESET_LEFT_OVER: "ruleset has bytes left over",
    numbers.ERROR_RULESET_SLOTS: "too many slots or no track",
    numbers.ERROR_RULESET_NO_VOID: "no void event",
    numbers.ERROR_RULESET_ARGUMENTS: "impossible arguments",
    numbers.ERROR_RULESET_REFUSAL: "unknown refusal",
    numbers.ERROR_RULESET_NO_SIGNAL: "no signal",
    numbers.ERROR_RULESET_COUNT: "impossible count",
    numbers.ERROR_RULESET_INDEX: "number outside its table",
    numbers.ERROR_RULESET_SETS: "sets what is no counter",
    numbers.ERROR_RULESET_EFFECT: "unknown effect",
    numbers.ERROR_EXPRESSION_SLOT: "expression reads an unknown slot",
    numbers.ERROR_EXPRESSION_DEEP: "expression is too deep",
    numbers.ERROR_EXPRESSION_OPERATOR: "expression has an unknown operator",
    numbers.ERROR_EXPRESSION_OPERAND: "expression lacks an operand",
    numbers.ERROR_EXPRESSION_VALUES: "expression does not give one value",
    numbers.ERROR_PARAM_COUNT: "wrong number of params for this ruleset",
    numbers.ERROR_PARAM_RANGE: "a param is out of its range",
    numbers.ERROR_SNAPSHOT_DAMAGED: "the snapshot is damaged",
    numbers.ERROR_SNAPSHOT_RULESET: "the snapshot is of another ruleset",
    numbers.ERROR_SNAPSHOT_STATE: "the snapshot has an unknown state",
    numbers.ERROR_SNAPSHOT_EVENT: "the snapshot has an unknown event",
    numbers.ERROR_SNAPSHOT_COUNTER: "the snapshot has a counter out of its range",
    numbers.ERROR_GAME_TIME: "game time is never negative",
    numbers.ERROR_CLOCK_STOPPED: "clock not started",
    numbers.ERROR_NOT_AN_INTEGER: "not an integer",
    numbers.ERROR_NUMBER_RANGE: "{} is not in 0..{}",
    numbers.ERROR_SIGNED_RANGE: "{} is beyond 52 bits",
    numbers.ERROR_READER_RANGE: "reader outside of its data",
    numbers.ERROR_DATA_ENDS: "data ends {} bytes early",
    numbers.ERROR_NUMBER_CUT: "data ends inside a number",
    numbers.ERROR_NUMBER_LONG: "number too long",
    numbers.ERROR_NEGATIVE_SIZE: "negative size",
    numbers.ERROR_PATTERN: "no pattern {}",
    numbers.ERROR_RECORD_NUMBER: "record number {} out of range",
    numbers.ERROR_RECORD_KIND: "kind 0 is no record",
    numbers.ERROR_RECORD_LONG: "record of {} bytes is too long",
    numbers.ERROR_RECORD_OFFSET: "offset {} outside of the data",
    numbers.ERROR_IDENTITY_LENGTH: "a ruleset identity has 8 bytes",
    numbers.ERROR_ADVERT_ROLE: "role or flags out of range",
    numbers.ERROR_ADVERT_SIGNAL: "battery or signal out of range",
    numbers.ERROR_ADVERT_RECORD: "record number out of range",
    numbers.ERROR_ADVERT_LENGTH: "payload of a wrong length",
    numbers.ERROR_ADVERT_VERSION: "not an advert of this version",
    numbers.ERROR_BLOCK_LEFT_OVER: "bytes after the end of a block",
    numbers.ERROR_MESSAGE_PARTS: "message of too many parts",
    numbers.ERROR_FRAME_EMPTY: "frame without content",
    numbers.ERROR_MESSAGE_BEGINNING: "part {} of a message whose beginning is missing",
    numbers.ERROR_MESSAGE_NUMBER: "message without number, or too long",
    numbers.ERROR_MESSAGE_CHANGED: "message was changed on the way",
    numbers.ERROR_MESSAGE_LEFT_OVER: "bytes after the end of a message",
    numbers.ERROR_INFO_LENGTH: "ruleset identity or firmware version of a wrong length",
    numbers.ERROR_NONCE_LENGTH: "nonce of a wrong length",
    numbers.ERROR_TOO_MANY_ARGUMENTS: "too many arguments",
    numbers.ERROR_TAP_VERSION: "a tap of another version",
    numbers.ERROR_BEGIN_LENGTH: "BEGIN of a wrong length",
    numbers.ERROR_BEGIN_SENSE: "BEGIN that makes no sense",
    numbers.ERROR_PIECE_EMPTY: "piece without bytes",
    numbers.ERROR_ENTRY_SENSE: "entry that makes no sense",
    numbers.ERROR_PATH_ASCII: "path that is not ASCII",
    numbers.ERROR_MORE_THAN_MANIFEST: "more than the manifest says",
    numbers.ERROR_MANIFEST_OTHER: "manifest that is not the one announced",
    numbers.ERROR_JOURNAL_RECORD: "journal record at byte {} is not valid",
}
"""English only: it is read by who works on rules or tools. {}: the error's further arguments."""


def error_text(error: BaseException) -> str:
    """Return what an error says: that of the core by its number, any other by itself."""
    text = ERRORS.get(error.args[0]) if isinstance(error, RedbandError) and error.args else None
    return str(error) if text is None else text.format(*error.args[1:])

"""What the calibration says to a technician, English and Russian. (English, Russian) each."""

from __future__ import annotations

from redband_core import numbers

ENTER = (" Then press Enter.", " Затем нажмите Enter.")
STILL = (
    "1 of 3. Lay the badge down and leave it alone for {seconds} s.",
    "1 из 3. Положите бейдж и не трогайте его {seconds} с.",
)
SWING = (
    "2 of 3. Strap it to an arm and swing the arm as hard as in a fight, hitting nothing; go on "
    "until the measuring of {seconds} s is over.",
    "2 из 3. Закрепите бейдж на руке и машите ею, как в бою, ничего не задевая, пока не кончится "
    "измерение ({seconds} с).",
)
BLOWS = (
    "3 of 3. Now strike it {blows} times like the weakest blow that must count; wait for each "
    "answer.",
    "3 из 3. Теперь ударьте по нему {blows} раз, как слабейший удар, который должен считаться; "
    "ждите ответа на каждый.",
)
MEASURING = ("Measuring now ...", "Идёт измерение ...")
PEAK = ("Strongest: {peak} mg.", "Сильнее всего: {peak} mg.")
STRIKE = ("Blow {number} of {blows}:", "Удар {number} из {blows}:")
STRUCK = ("  {peak} mg", "  {peak} mg")
RESULT = (
    "At rest {noise} mg, swinging {movement} mg, blows {weakest} to {strongest} mg: "
    "a blow counts from {threshold} mg on.",
    "В покое {noise} mg, при махе {movement} mg, удары от {weakest} до {strongest} mg: "
    "удар считается от {threshold} mg.",
)
STORED = (
    "The badge has it (impact=accelerometer, impact_threshold_mg={threshold}) and starts again.",
    "Бейдж это запомнил (impact=accelerometer, impact_threshold_mg={threshold}) и запускается "
    "снова.",
)
NO_INPUT = (
    "Calibrating needs somebody at the keyboard; the badge is as it was.",
    "Для калибровки нужен человек за клавиатурой; в бейдже ничего не изменилось.",
)
CANCELLED = (
    "Cancelled; the badge is as it was and starts again.",
    "Прервано; в бейдже ничего не изменилось, он запускается снова.",
)

OLD = (
    "The badge at {port} has an older firmware; run redband badge install first.",
    "В бейдже на {port} старая прошивка; сначала выполните redband badge install.",
)
NEW = (
    "The badge at {port} has no settings yet; run redband badge install first.",
    "В бейдже на {port} ещё нет настроек; сначала выполните redband badge install.",
)
FAULTS = {
    numbers.SENSOR_MISSING: (
        "The badge at {port} has no accelerometer (nobody answers on SDA and SCL); check its "
        "wires, or keep impact=switch.",
        "В бейдже на {port} нет акселерометра (на SDA и SCL никто не отвечает); проверьте "
        "провода или оставьте impact=switch.",
    ),
    numbers.SENSOR_WRONG_CHIP: (
        "The chip at SDA and SCL of the badge at {port} is no LIS3DH; fit one, or keep "
        "impact=switch.",
        "Микросхема на SDA и SCL бейджа на {port} - не LIS3DH; поставьте её или оставьте "
        "impact=switch.",
    ),
    numbers.SENSOR_BUS: (
        "The accelerometer of the badge at {port} stopped answering; check SDA and SCL, then "
        "calibrate again.",
        "Акселерометр бейджа на {port} перестал отвечать; проверьте SDA и SCL и повторите "
        "калибровку.",
    ),
}
MOVED = (
    "The badge was moved while it should lie still ({noise} mg); lay it down on something firm "
    "and calibrate again.",
    "Бейдж двигался, когда должен был лежать ({noise} mg); положите его на твёрдое и повторите "
    "калибровку.",
)
MISSED = (
    "Blow {number} was not felt above the swinging arm ({movement} mg) within {seconds} s; strike "
    "harder or nearer to the badge, or swing less, and calibrate again.",
    "Удар {number} не отличить от маха рукой ({movement} mg) за {seconds} с; бейте сильнее или "
    "ближе к бейджу либо машите слабее и повторите калибровку.",
)
OVERLAP = (
    "The weakest blow ({weakest} mg) is too near to the swinging arm ({movement} mg) to be told "
    "apart; strike harder or fasten the badge more tightly, and calibrate again.",
    "Слабейший удар ({weakest} mg) слишком близок к маху рукой ({movement} mg), их не различить; "
    "бейте сильнее или закрепите бейдж туже и повторите калибровку.",
)

"""Which modules come and go together: the one table of them, read by `on_demand` and forgotten.

Problem: these texts are a kilobyte of a heap that is short. Guarantee: a group's name is that of
its first module, which `with` gives. Names are below redband_.
"""

GROUPS = {
    "boot_begin": "badge.boot_begin",
    "loading": "badge.loading",
    "settings": "badge.settings core.settings_check",
    "ruleset_reader": "core.ruleset_reader core.expression_reader",
    "journal_recovery": "badge.journal_recovery core.segment_reader",
    "sleep": "badge.sleep",
    "radio_parts": "badge.radio_parts",
    "power_parts": "badge.power_parts",
    "self_test": "badge.self_test",
    "status": "badge.status",
    "heap_keeper": "badge.heap_keeper",
    "deep_sleep": "badge.deep_sleep",
    "link": (
        "badge.link badge.journal_pages core.session core.log_stream core.log_frames "
        "core.proofs core.frames core.info"
    ),
    "commands": "badge.commands core.broadcasts",
    "emergency": "badge.emergency",
    "host_commands": ("badge.host_commands badge.commands core.broadcasts core.command_frames"),
    "broadcast": (
        "badge.broadcast badge.commands core.broadcasts core.command_frames core.opening"
    ),
    "tap_gestures": "badge.tap_gestures core.tap",
    "tap_calls": ("badge.tap_calls badge.commands core.tap core.broadcasts core.opening"),
    "tap_records": "badge.tap_records core.tap",
    "update": "badge.update badge.staging core.upload",
    "update_check": (
        "badge.update_check badge.settings core.settings_check core.ruleset_reader "
        "core.expression_reader core.upload"
    ),
    "trial": "badge.trial badge.staging core.upload",
}

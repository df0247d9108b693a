"""Rulesets: TOML files for organisers in, checked and compiled rulesets for badges out."""

from redband.rules.library import presets, shipped
from redband.rules.loader import CompiledRuleset, load, parse
from redband.rules.section import RulesFileError

__all__ = ["CompiledRuleset", "RulesFileError", "load", "parse", "presets", "shipped"]

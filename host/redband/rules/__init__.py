"""Rulesets: TOML files for organisers in, checked and compiled rulesets for badges out."""

from redband.rules.loader import CompiledRuleset, load, parse, shipped
from redband.rules.section import RulesFileError

__all__ = ["CompiledRuleset", "RulesFileError", "load", "parse", "shipped"]

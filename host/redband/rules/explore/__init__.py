"""Walks all that can happen under a ruleset, and tells its faults."""

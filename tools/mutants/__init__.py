"""Mutation check: small wrong changes, and whether a test notices each."""

"""Fuzzing: what is fuzzed (targets), and the coverage-guided fuzzer of the host (fuzz_host)."""

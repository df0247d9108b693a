"""Coverage-guided fuzzing of everything that takes bytes from the air, by atheris.

`make fuzz`, or: python -m tools.fuzz.fuzz_host [--seconds 600] [--only NAME] [--corpus FOLDER]
What breaks is kept in the corpus folder as crash-*; the same bytes again: --input FILE. The exit
code is 0 when nothing was found.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path
from typing import Any

atheris: Any = importlib.import_module("atheris")  # not everywhere, and without types

INSTRUMENTED = ["redband_core", "redband.radio", "redband.store.records", "tools.fuzz.targets"]
CORPUS = Path("build/fuzz")
LONGEST_BYTES = 600
"""A message has 512 bytes at most."""


def planted(data: bytes) -> None:
    """Fail where chance does not come: behind four checks, one within the other."""
    if len(data) > 3 and data[0] == 0x52 and data[1] == 0x2F and data[2] == 0xA5:
        raise IndexError("planted")


def main(arguments: list[str]) -> None:
    """Fuzz; does not return: libFuzzer ends the process."""
    parser = argparse.ArgumentParser(prog="fuzz_host", description=__doc__)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="one target by its name")
    parser.add_argument("--corpus", type=Path, default=CORPUS, help="where inputs are kept")
    parser.add_argument("--input", type=Path, help="try these bytes only")
    parser.add_argument("--planted", action="store_true", help="with a fault that it must find")
    options = parser.parse_args(arguments)
    with atheris.instrument_imports(include=INSTRUMENTED):
        from tools.fuzz.targets import TARGETS, Target
    targets = dict(TARGETS)
    if options.planted:
        atheris.instrument_func(planted)
        targets = {"planted": Target(planted, [bytes(24)])}
    elif options.only:
        if options.only not in targets:
            parser.error(f"no target {options.only!r}; there are: {', '.join(targets)}")
        targets = {options.only: targets[options.only]}
    chosen = list(targets.values())

    def one_input(data: bytes) -> None:
        # The first byte says which target the others are for.
        if not data:
            return
        target = chosen[data[0] % len(chosen)]
        try:
            target.function(bytes(data[1:]))
        except target.errors:
            return

    corpus = options.corpus
    corpus.mkdir(parents=True, exist_ok=True)
    for index, target in enumerate(chosen):
        for number, seed in enumerate(target.seeds):
            (corpus / f"seed-{index}-{number}").write_bytes(bytes((index,)) + seed)
    fuzzer = [sys.argv[0], f"-max_len={LONGEST_BYTES}", f"-seed={options.seed}"]
    if options.input:
        fuzzer.append(str(options.input))
    else:
        fuzzer += [f"-max_total_time={options.seconds}", "-print_final_stats=1"]
        fuzzer += [f"-artifact_prefix={corpus}/", str(corpus)]
    atheris.Setup(fuzzer, one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1:])

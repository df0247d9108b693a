"""`make fuzz`: see fuzz_host."""

import importlib.util
import sys

if importlib.util.find_spec("atheris") is None:
    sys.exit("Fuzzing needs atheris, which exists for Linux on x86-64 with Python 3.11 to 3.13.")

from tools.fuzz.fuzz_host import main

main(sys.argv[1:])

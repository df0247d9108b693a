"""`python -m redband`: the same as the `redband` command."""

from redband.cli.app import main

main()

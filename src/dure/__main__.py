"""`python -m dure`: the same as the command `dure`."""

from dure.cli import main

main()

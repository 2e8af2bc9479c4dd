"""The command `jostle`, as `python -m jostle`."""
import sys

from .command import main

sys.exit(main())

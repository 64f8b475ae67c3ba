"""`python -m sparkwhy`."""

import sys

from sparkwhy.cli.main import main

if __name__ == "__main__":
    sys.exit(main())

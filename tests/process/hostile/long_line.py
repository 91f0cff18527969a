"""MEGABYTES without a single line end."""

import os
import sys

for _ in range(int(os.environ["MEGABYTES"])):
    os.write(1, b"-" * 1048576)
sys.exit(1)

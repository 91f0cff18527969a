"""MEGABYTES of lines; only the last one says what is wrong."""

import os
import sys

LINES = b"".join(b"%07d nothing to see in here!\n" % number for number in range(32768))
for _ in range(int(os.environ["MEGABYTES"])):
    os.write(1, LINES)
os.write(1, b"FAILED test_end.py::test_reason\n")
sys.exit(1)

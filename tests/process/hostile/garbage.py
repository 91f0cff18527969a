"""Bytes that are no text: broken UTF-8, NUL, terminal commands, text that runs backwards."""

import os
import sys

BYTES = (
    b"before \xfe\xff\xc3\x28 after\n"
    b"a\x00b\n"
    b"\x1b[1;31mloud\x1b[0m\x1b]0;new title\x07\x1b]52;c;cGFzdGVk\x07\x1b[2J\n"
    b"hidden\rshown\x08\x08\n"
    b"\xe2\x80\xae drawkcab \xe2\x80\x8b\n"
    b"\xed\xb0\x80 half a pair\n"
)
os.write(1, BYTES)
sys.exit(1)

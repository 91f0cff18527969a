"""Runs a command and writes its exit code and peak memory in kilobytes to a file.

A process of its own, and small: what is forked from a large one counts that one's memory too.
"""

import os
import sys

target, *command = sys.argv[1:]
child = os.fork()
if child == 0:
    os.execv(command[0], command)  # noqa: S606  what is measured is given by the test
_, status, usage = os.wait4(child, 0)
with open(target, "w", encoding="ascii") as file:  # noqa: PTH123  next to no imports
    file.write(f"{os.waitstatus_to_exitcode(status)} {usage.ru_maxrss}")

"""Ignores every signal that can be ignored."""

import os
import signal
import time

for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
    signal.signal(number, signal.SIG_IGN)
os.write(1, b"deaf\n")
time.sleep(60)

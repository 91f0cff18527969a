"""Fails, and leaves a daemon behind: forked twice, in a session of its own, on no pipe of ours."""

import os
import sys
import time

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 1)
        os.dup2(null, 2)
        time.sleep(60)
    os._exit(0)
os.wait()
sys.exit(1)

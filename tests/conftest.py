"""What every test starts from."""

import signal

# Whoever runs the tests in the background has these ignored, and every program started here would
# inherit that: then it could not be interrupted, which is what some tests are about.
for _name in ("SIGINT", "SIGHUP", "SIGQUIT"):
    if hasattr(signal, _name) and signal.getsignal(getattr(signal, _name)) == signal.SIG_IGN:
        signal.signal(getattr(signal, _name), signal.SIG_DFL)
if signal.getsignal(signal.SIGINT) == signal.SIG_DFL:
    signal.signal(signal.SIGINT, signal.default_int_handler)

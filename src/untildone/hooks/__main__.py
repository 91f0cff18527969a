"""`python -I -S <this file> EVENT AGENT SOURCE HOME`: what the installed command comes to."""

import gc
import os
import sys

# A process of a moment: imports alone would set off dozens of collections that find nothing.
gc.set_threshold(50_000)

# Isolated as it is, the interpreter does not know where the package lies; run as a folder instead
# of as a file, it would know too much.
_folder, _, _ = __file__.replace("\\", "/").rpartition("/")
sys.path[:] = [
    _folder.rpartition("/untildone/")[0],
    *(place for place in sys.path if place.replace("\\", "/").rstrip("/") != _folder),
]

from untildone.hooks.entry import main  # noqa: E402  the path is set above

code = main(sys.argv[1:])
# The answer is out: taking the interpreter apart would only make the client wait for it.
os._exit(code)

"""`python -I -S <this file> EVENT AGENT SOURCE HOME`: the program behind the installed command."""

import gc
import os
import sys

# A hook lives for a moment: the collections that its imports set off cost 2.5 ms and free nothing.
gc.set_threshold(50_000)

# `python -I` does not know where the package is, and puts this folder itself on the path instead.
_folder, _, _ = __file__.replace("\\", "/").rpartition("/")
sys.path[:] = [
    _folder.rpartition("/untildone/")[0],
    *(place for place in sys.path if place.replace("\\", "/").rstrip("/") != _folder),
]

from untildone.hooks.entry import main  # noqa: E402  the path is set above

code = main(sys.argv[1:])
# The answer is printed: tearing the interpreter down would only make the client wait.
os._exit(code)

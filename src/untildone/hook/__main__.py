"""`python -I -S <this folder> EVENT AGENT SOURCE HOME`: what the installed command comes to."""

import sys

# The folder itself is on the path instead of what holds the package.
sys.path[0] = sys.path[0].rpartition("untildone")[0].rstrip("/\\")

from untildone.hook.entry import main  # noqa: E402  the path is set above

raise SystemExit(main(sys.argv[1:]))

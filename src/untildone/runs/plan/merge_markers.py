"""The name by which the loops of earlier versions call the check for merge markers."""

import sys

from untildone.runs.tasks.merge_markers import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

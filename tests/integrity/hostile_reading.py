"""Compares two trees as a confirming stop does and prints what that took; runs as a script.

Its only argument is the folder of both trees, `old` and `new`. It prints the seconds of processor
time, the megabytes beyond those of the program itself, and the unread files.
"""

import json
import resource
import sys
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

from untildone.integrity.comparison import compare_trees
from untildone.integrity.experiments.adaptation import adapt_tests
from untildone.integrity.experiments.current_tests import compose_current_tests
from untildone.integrity.experiments.missing_names import find_files_with_new_names
from untildone.integrity.experiments.previous_behaviour import compose_previous_behaviour
from untildone.integrity.experiments.renamed_names import find_renamed_only_tests
from untildone.integrity.registry import find_concerns
from untildone.integrity.tests.comparison import find_merged_tests
from untildone.worktree.contents import read_tree, walk_files
from untildone.worktree.limits import LimitExceeded

_MAX_SECONDS = 30
# What load_inputs and the experiments read, besides the comparisons themselves.
READERS = (
    find_renamed_only_tests,
    adapt_tests,
    find_merged_tests,
    find_files_with_new_names,
    compose_current_tests,
    partial(compose_previous_behaviour, empties_changed=True),
)


def read_peak() -> float:
    """Return the most megabytes that were resident; `ru_maxrss` would count the parent's too."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1_024


def main(top: Path) -> None:
    # Ended by the system if nothing else ends it; a busy machine makes it wait, not work, longer.
    resource.setrlimit(resource.RLIMIT_CPU, (_MAX_SECONDS, _MAX_SECONDS))
    before, began = read_peak(), time.process_time()
    old, new = (read_tree(top / name, walk_files(top / name)) for name in ("old", "new"))
    comparison = compare_trees(old, new, ("pytest -q",))
    find_concerns(comparison)
    for reader in READERS:
        with suppress(LimitExceeded):
            comparison.read_within_budget(reader)
    seconds = time.process_time() - began
    sys.stdout.write(json.dumps([seconds, read_peak() - before, sorted(comparison.unread)]))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""The status of a task in its plan, as a tree of the work branch has it."""

import os
import tempfile
from pathlib import Path

from untildone.features.plans.editing import change_plan, edit_status
from untildone.features.plans.plan_file import read_plan
from untildone.runs.tasks.git_answers import Git


def complete_task_in_tree(git: Git, tree: str, *, plan: str, task: str) -> str:
    """Return the tree with the task completed in its plan; unchanged if it is not there."""
    _, content = git.ask_with_status("cat-file", "blob", f"{tree}:{plan}")
    mode = git.ask("ls-tree", tree, "--", f":(top,literal){plan}").split(maxsplit=1)[0]
    with tempfile.TemporaryDirectory(prefix="untildone-") as folder:
        path = Path(folder) / "TASKS.json"
        path.write_bytes(os.fsencode(content))
        if task not in read_plan(path).plan.tasks:
            return tree
        change_plan(path, lambda document: edit_status(document, task, "completed"))
        blob = git.ask("hash-object", "-w", "--stdin", stdin=path.read_bytes())
        env = {"GIT_INDEX_FILE": os.fspath(Path(folder) / "index")}
        git.ask("read-tree", tree, env=env)
        git.ask("update-index", "--cacheinfo", f"{mode},{blob},{plan}", env=env)
        return git.ask("write-tree", env=env)

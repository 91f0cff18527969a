"""The status of a task in its plan, as a tree of the work branch has it."""

from untildone.features.plans.editing import change_plan, edit_status
from untildone.features.plans.plan_file import read_plan
from untildone.runs.tasks.git_answers import Git


def complete_task_in_tree(git: Git, *, plan: str, task: str) -> str:
    """Return the tree with the task completed in its plan; unchanged if it is not there."""
    path = git.folder / plan
    if task in read_plan(path).plan.tasks:
        change_plan(path, lambda document: edit_status(document, task, "completed"))
        git.ask("update-index", "--", plan)
    return git.ask("write-tree")

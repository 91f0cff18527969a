"""Concerns about changed files that decide a check and that are not shell text.

`python ci/gate.py` may forgive more after any change of `ci/gate.py`, and a check that reads
`report.json` passes after a change of it. `comparison.py` compares shell scripts call by call.
"""

import ast
import re
from collections.abc import Iterator
from copy import deepcopy

from untildone.commands.invoked_scripts import find_run_scripts, is_shell_script
from untildone.commands.makefiles import is_makefile
from untildone.core.evidence import Concern, ConcernKind
from untildone.core.late_patterns import compile_late
from untildone.integrity.comparison import Comparison
from untildone.integrity.scripts.deciding_files import find_deciding_files, is_deciding_data
from untildone.syntax.comments import list_comments
from untildone.syntax.parsing import parse_python_file
from untildone.worktree.contents import Tree

# Data with which a check compares its output.
_EXPECTED_OUTPUT = compile_late(r"expect|golden|snapshot", re.IGNORECASE)


def find_changed_programs(comparison: Comparison) -> Iterator[Concern]:
    """Yield a concern for each check script, in Python for example, whose code was changed."""
    for path in comparison.changes.edited_or_removed:
        is_program = path in comparison.deciding_files and not is_deciding_data(path)
        if not is_program or _is_compared_by_call(comparison, path):
            continue
        old_code, new_code = (_normalize_code(tree, path) for tree in comparison.trees)
        if old_code != new_code:
            reason = f"`{path}`, which the check runs, was changed"
            yield comparison.make_concern(ConcernKind.CONFIG, path, reason=reason)


def find_changed_data(comparison: Comparison) -> Iterator[Concern]:
    """Yield a concern for each changed data file that a check reads and does not write itself."""
    texts = [
        f"{shell_text}\n{comparison.old.text(path)}"
        for command in comparison.commands
        for shell_text, path in find_run_scripts(comparison.old, command)
    ]
    read_by_checks = find_deciding_files(comparison.old, comparison.commands)
    for path in comparison.changes.edited_or_removed:
        if path not in read_by_checks or not is_deciding_data(path):
            continue
        # > report.json, --output=report.json, -o report.json
        writes = re.compile(rf"(>|=|\b-o|output\S*)\s*['\"]?(\./)?{re.escape(path)}")
        if not any(map(writes.search, texts)):
            is_expected = _EXPECTED_OUTPUT.search(path) is not None
            kind = ConcernKind.EDIT_EXPECTED if is_expected else ConcernKind.CONFIG
            reason = f"`{path}`, which the check reads, was changed by hand"
            yield comparison.make_concern(kind, path, reason=reason)


def _is_compared_by_call(comparison: Comparison, path: str) -> bool:
    """Say whether the file holds shell text, the calls of which `comparison.py` compares."""
    is_package_file = path.rpartition("/")[2] == "package.json"
    is_shell = is_shell_script(path, comparison.old.text(path))
    return is_package_file or is_makefile(path) or is_shell


class _DocstringRemover(ast.NodeTransformer):
    """Removes docstrings and other statements that are only a literal."""

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        return None if isinstance(node.value, ast.Constant) else node


def _normalize_code(tree: Tree, path: str) -> str:
    """Return the code without comments, docstrings and layout, to be compared with another."""
    text = tree.text(path)
    if path.endswith(".py"):
        # Code that uses `__doc__` depends on its docstrings; a file with errors has no syntax tree.
        module = None if "__doc__" in text else tree.fact(parse_python_file, path)
        return ast.dump(_DocstringRemover().visit(deepcopy(module))) if module else text
    for comment in tree.fact(list_comments, path):
        text = text.replace(comment.text, "")
    return re.sub(r"\s+", " ", text).strip()

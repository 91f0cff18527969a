"""What surrounds a test: its file, and the names, marks, helpers and variables of its class."""

from collections.abc import Mapping, Set

from ast_grep_py import SgNode
from msgspec import Struct

from untildone.integrity.tests.interpreter import Interpreter
from untildone.integrity.tests.model import Test
from untildone.integrity.tests.values import Variables


class Scope(Struct, frozen=True, kw_only=True):
    """A file, module or class; `prefix` is what its tests have before their own name."""

    path: str
    functions: Mapping[str, SgNode]
    variables: Variables
    prefix: str = ""
    marks: frozenset[str] = frozenset()

    def make_test(self, name: str, interpreter: Interpreter, marks: Set[str] = frozenset()) -> Test:
        """Return the test whose statements the interpreter has run."""
        return Test(
            self.path,
            f"{self.prefix}{name}",
            tuple(interpreter.assertions),
            self.marks.union(marks, interpreter.skips),
        )

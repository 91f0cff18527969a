"""What surrounds a test: its file, and the helpers, variables and marks of its module or class.

The scope of the methods of `class TestPrice:` in `test_shop.py` has the prefix `TestPrice::`.
"""

from collections.abc import Mapping, Set

from ast_grep_py import SgNode
from msgspec import Struct

from untildone.integrity.tests.interpreter import Interpreter
from untildone.integrity.tests.model import Test
from untildone.integrity.tests.values import Variables


class Scope(Struct, frozen=True, kw_only=True):
    """A file, module or class that holds tests."""

    path: str
    # Helpers that the tests can call, by name.
    functions: Mapping[str, SgNode]
    # Constants of the file and what set-up methods assigned.
    variables: Variables
    # What precedes the names of the tests.
    prefix: str = ""
    # Reasons why none of the tests may run, as in `Test.marks`.
    marks: frozenset[str] = frozenset()

    def make_test(self, name: str, interpreter: Interpreter, marks: Set[str] = frozenset()) -> Test:
        """Return the test whose body the interpreter has run; `marks` are its own."""
        return Test(
            self.path,
            f"{self.prefix}{name}",
            tuple(interpreter.assertions),
            self.marks.union(marks, interpreter.skips),
        )

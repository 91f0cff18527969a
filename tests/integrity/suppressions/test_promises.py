"""A type that code promises and does not keep silences the checker like a comment would."""

from pathlib import Path

import pytest

from integrity.trees import compare_projects
from snippets import snippet
from untildone.integrity.suppressions import comparison as suppressions

FIND = """\
export function find(id: string): Item | undefined {
  return items.get(id);
}
"""
OVERLOAD = "export function find(id: string): Item;\n"
PYTHON = "def find(name: str) -> int | None:\n    return ITEMS.get(name)\n"
PYTHON_OVERLOAD = "@overload\ndef find(name: str) -> int: ...\n"
BLIND = "function isItem(x: unknown): x is Item { return true; }\n"


def find_ids(top: Path, old: dict[str, str], new: dict[str, str]) -> list[str]:
    return [
        concern.id.partition("#")[0]
        for concern in suppressions.find_concerns(compare_projects(top, old, new))
    ]


@pytest.mark.parametrize(
    ("path", "old", "new", "rule"),
    [
        ("a.ts", FIND, FIND + BLIND, "type guard"),
        ("a.tsx", FIND, FIND + "const isItem = (x: unknown): x is Item => true;\n", "type guard"),
        (
            "a.ts",
            FIND,
            FIND
            + snippet("""
                function isItem(x: unknown): x is Item {
                  log(x);
                  return !!x || true;
                }
            """),
            "type guard",
        ),
        ("a.ts", FIND, FIND + "function must(x: unknown): asserts x is Item {}\n", "type guard"),
        (
            "a.ts",
            FIND,
            FIND
            + snippet("""
                class A {
                  isB(): this is B {
                    return true;
                  }
                }
            """),
            "type guard",
        ),
        (
            "a.py",
            PYTHON,
            PYTHON + "def is_item(x: object) -> TypeGuard[Item]:\n    return True\n",
            "type guard",
        ),
        (
            "a.py",
            PYTHON,
            PYTHON
            + snippet("""
                if TYPE_CHECKING:
                    def top() -> int: ...
                else:
                    def top() -> int:
                        return None
            """),
            "TYPE_CHECKING",
        ),
        ("a.ts", FIND, OVERLOAD + FIND, "overload"),
        ("a.ts", FIND, OVERLOAD + FIND.replace(": Item | undefined {", " {"), "overload"),
        (
            "a.ts",
            snippet("""
                class A {
                  get(k: string): string | null { return null; }
                }
            """),
            snippet("""
                class A {
                  get(k: string): string;
                  get(k: string): string | null { return null; }
                }
            """),
            "overload",
        ),
        ("a.py", PYTHON, PYTHON_OVERLOAD + PYTHON, "overload"),
        (
            "a.py",
            PYTHON,
            PYTHON_OVERLOAD + PYTHON.replace("int | None", "Optional[int]"),
            "overload",
        ),
    ],
)
def test_a_promise_that_is_not_kept_is_a_loss(
    tmp_path: Path, path: str, old: str, new: str, rule: str
) -> None:
    assert find_ids(tmp_path, {path: old}, {path: new}) == [f"suppression:{path}:{rule}"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(
            {"a.ts": FIND},
            {
                "a.ts": FIND
                + snippet("""
                    function isItem(x: unknown): x is Item {
                      return !!x;
                    }
                """)
            },
            id="a guard that asks",
        ),
        pytest.param(
            {"a.ts": FIND},
            {
                "a.ts": FIND
                + snippet("""
                    function isItem(x: unknown): x is Item {
                      if (!x) return false;
                      return true;
                    }
                """)
            },
            id="a guard that says no first",
        ),
        pytest.param(
            {"a.ts": FIND},
            {
                "a.ts": FIND
                + snippet("""
                    function must(x: unknown): asserts x is Item {
                      if (!x) throw new Error();
                    }
                """)
            },
            id="an assertion that asks",
        ),
        pytest.param(
            {"a.ts": FIND},
            {
                "a.ts": OVERLOAD
                + "export function find(id: null): undefined;\n"
                + FIND.replace("id: string", "id: string | null")
            },
            id="each result in an overload",
        ),
        pytest.param(
            {"a.ts": FIND},
            {"a.ts": FIND.replace("Item | undefined", "Item").replace("(id)", "(id) ?? none")},
            id="a result narrowed where it is made",
        ),
        pytest.param(
            {"a.ts": FIND},
            {"a.ts": FIND + "declare function load(id: string): Item;\n"},
            id="declared, not written here",
        ),
        pytest.param({"a.ts": BLIND + FIND}, {"b.ts": BLIND, "a.ts": FIND}, id="moved"),
        pytest.param(
            {"a.ts": OVERLOAD + FIND}, {"a.ts": OVERLOAD + FIND + "let a\n"}, id="as it was"
        ),
        pytest.param({"a.ts": FIND}, {"a.ts": FIND, "a.test.ts": BLIND}, id="in a test"),
        pytest.param(
            {"a.py": PYTHON},
            {
                "a.py": PYTHON + "class Guard(Protocol):\n"
                "    def __call__(self, x: object) -> TypeGuard[int]: ...\n"
            },
            id="a guard's shape",
        ),
        pytest.param(
            {"a.py": PYTHON},
            {
                "a.py": PYTHON + "def is_int(x: object) -> TypeIs[int]:\n"
                "    return isinstance(x, int)\n"
            },
            id="a guard in Python",
        ),
        pytest.param(
            {"a.py": PYTHON},
            {
                "a.py": PYTHON
                + snippet("""
                    if TYPE_CHECKING:
                        from b import C
                    else:
                        C = object
                """)
            },
            id="an import for the checker",
        ),
        pytest.param({"a.py": "x = 1\n"}, {"a.py": "def (\n"}, id="what nobody can parse"),
    ],
)
def test_a_promise_that_is_kept_is_none(
    tmp_path: Path, old: dict[str, str], new: dict[str, str]
) -> None:
    assert find_ids(tmp_path, old, new) == []

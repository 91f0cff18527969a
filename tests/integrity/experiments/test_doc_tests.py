"""Examples of the baseline run on the current code; the text around them may change."""

import subprocess
import sys
from pathlib import Path

import pytest

from integrity.trees import compare_projects
from snippets import snippet
from untildone.integrity.experiments.doc_tests import restore_doc_tests
from untildone.integrity.experiments.sandbox_files import compose_files

FEE = '''\
"""Fees.

>>> fee(100)
5
"""


def fee(cents):
    return cents // 20
'''
CLASS = '''\
class Fée:
    """Of an order.

    >>> Fée().of(1)
    5
    """

    def of(self, cents):
        """
        >>> Fée().of(2)
        5
        """
        return 5
'''
DOCTEST = "python -m doctest fee.py"


def compose_file(
    top: Path, old: str, new: str, command: str = DOCTEST, path: str = "fee.py"
) -> str:
    comparison = compare_projects(top, {path: old}, {path: new}, command)
    found = compose_files(comparison, uses_current=lambda _: False).files[path]
    return "" if isinstance(found, Path) else found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (FEE, FEE.replace(">>> fee(100)\n5", ">>> fee(100)  # doctest: +SKIP\n5")),
        (FEE, FEE.replace(">>> fee(100)\n5", ">>> fee(100)  # doctest: +ELLIPSIS\n...")),
        (FEE, FEE.replace("5", "7")),
        (FEE, FEE.replace("fee(100)", "fee(101)")),
        (FEE, FEE.replace(">>> fee(100)\n5\n", "")),
        (FEE, FEE.partition('"""\n\n\n')[2]),
        (CLASS, CLASS.replace("    5\n", "    6\n")),
        (CLASS, CLASS.replace("        >>> Fée().of(2)\n        5\n", "")),
        (
            CLASS,
            snippet("""
                class Fée:
                    @property
                    def of(self): return 5
            """),
        ),
    ],
)
def test_the_baselines_examples_judge_the_current_code(tmp_path: Path, old: str, new: str) -> None:
    merged = compose_file(tmp_path, old, new)
    place = tmp_path / "merged.py"
    place.write_text(merged, encoding="utf-8")
    code = merged.replace(" ", "").replace("\n", "")

    assert all(f">>>{each}" in code for each in ("fee(100)5",) if old == FEE)
    assert all(f">>>Fée().of({each})5" in code for each in (1, 2) if old == CLASS)
    subprocess.run([sys.executable, "-m", "py_compile", place], check=True, timeout=60)


UNREADABLE = '"""\n>>>fee(1)\n"""\n'


@pytest.mark.parametrize(
    ("old", "new", "command"),
    [
        (FEE, FEE.replace("Fees.", "Fees of an order."), DOCTEST),
        (
            FEE,
            FEE.replace(
                ">>> fee(100)\n5",
                snippet("""
                    >>> fee(200)
                    10
                    >>> fee(100)
                    5"""),
            ),
            DOCTEST,
        ),
        (FEE, FEE.replace("5", "7"), "python -m pytest"),
        (FEE, FEE.replace("5", "7") + "broken(", DOCTEST),
        (UNREADABLE, '"""Fees."""\n', DOCTEST),
    ],
)
def test_other_changes_of_documentation_are_left_alone(
    tmp_path: Path, old: str, new: str, command: str
) -> None:
    assert compose_file(tmp_path, old, new, command) == ""


def test_a_function_that_is_gone_takes_its_examples_along(tmp_path: Path) -> None:
    old = snippet('''
        def old():
            """
            >>> old()
            1
            """
            return 1
    ''')

    assert compose_file(tmp_path, old, "def new():\n    return 1\n") == ""


@pytest.mark.parametrize("place", ["pytest.ini", "tests/test_docs.py", "Makefile"])
def test_examples_are_looked_for_where_anything_that_judges_runs_them(
    tmp_path: Path, place: str
) -> None:
    old = {"fee.py": FEE, place: "addopts = --doctest-modules\n"}
    comparison = compare_projects(
        tmp_path, old, {**old, "fee.py": FEE.replace("5", "7")}, "make check"
    )

    assert restore_doc_tests(comparison, "fee.py", comparison.new.text("fee.py")) is not None


def test_examples_in_documents_are_those_of_the_baseline(tmp_path: Path) -> None:
    old = snippet("""
        # Fees

            >>> fee(100)
            5
    """)
    command = "pytest --doctest-glob=*.md"
    merged = compose_file(tmp_path, old, old.replace("5", "7"), command, "README.md")
    more = compose_file(tmp_path / "more", old, old + "\nNew words.\n", command, "README.md")

    assert (merged, more) == (old, "")


RUST = """\
//! Fees.
//! ```
//! assert_eq!(fees::fee(100), 5);
//! ```

/// One fee.
/// ```
/// assert_eq!(fees::fee(20), 1);
/// ```
#[inline]
pub fn fee(cents: u64) -> u64 {
    cents / 20
}
"""


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        (RUST.replace("/// ```\n/// a", "/// ```ignore\n/// a"), RUST),
        (RUST.replace("fee(20), 1", "fee(20), 2"), RUST),
        (
            RUST.replace(
                snippet("""
                    //! ```
                    //! assert_eq!(fees::fee(100), 5);
                    //! ```
                """),
                "",
            ),
            RUST,
        ),
        (RUST.replace("    cents", "    // rounded down\n    cents"), ""),
        (RUST.replace("/// One fee.", "/// The fee of an order."), ""),
        (
            RUST.replace(
                "/// One fee.\n",
                snippet("""
                    /// One fee.
                    /// ```
                    /// fees::fee(1);
                    /// ```
                """),
            ),
            "",
        ),
        (RUST.partition("/// One")[0] + "pub fn other() {}\n", ""),
    ],
)
def test_examples_of_rust_are_those_of_the_baseline(
    tmp_path: Path, new: str, expected: str
) -> None:
    assert compose_file(tmp_path, RUST, new, "cargo test", "src/lib.rs") == expected


def test_an_example_that_lost_its_place_comes_before_its_item(tmp_path: Path) -> None:
    bare = snippet("""
        #[inline]
        pub fn fee(cents: u64) -> u64 {
            cents / 20
        }
    """)
    head = RUST.partition("/// One")[0]
    example = snippet("""
        /// One fee.
        /// ```
        /// assert_eq!(fees::fee(20), 1);
        /// ```
    """)

    assert compose_file(tmp_path, RUST, head + bare, "cargo test", "src/lib.rs") == (
        head + bare.replace("pub fn", example + "pub fn")
    )

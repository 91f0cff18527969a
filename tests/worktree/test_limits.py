"""Sources that would take too long to read are read in part or reported as unread."""

import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Lock

import pytest
from msgspec.structs import replace

from integrity.trees import compare_projects, tree, write_tree
from snippets import snippet
from untildone.core.evidence import Concern
from untildone.integrity.comparison import Comparison
from untildone.integrity.hard_coded.constant_folding import read_constants
from untildone.integrity.opaque_files import find_opaque_files
from untildone.integrity.registry import find_concerns
from untildone.integrity.settings.parsing import parse_settings
from untildone.integrity.tests import comparison as tests
from untildone.integrity.tests import model
from untildone.integrity.tests.inventory import read_inventory
from untildone.worktree.contents import Tree
from untildone.worktree.limits import Budget, FileTooCostly, LimitExceeded

NESTED = """\
def test_pairs():
    for a in (1, 2):
        for b in ({rows}):
            s = pair(a, b)
            assert f(s) == {answer}
"""


def nest(count: int, answer: int = 3) -> str:
    return NESTED.format(rows=", ".join(map(str, range(10, 10 + count))), answer=answer)


def read(top: Path, path: str, text: str) -> model.Test:
    return read_inventory(tree(top, {path: text})).tests[0]


def size(test: model.Test) -> int:
    return sum(len(assertion.actual) + len(assertion.expected) for assertion in test.assertions)


@pytest.mark.parametrize("count", [22, 60, 400])
def test_nested_rows_grow_no_faster_than_their_number(tmp_path: Path, count: int) -> None:
    test = read(tmp_path, "tests/test_a.py", nest(count))
    assert len(test.assertions) == 2 * count
    assert size(test) <= 2 * count * 600


@pytest.mark.parametrize("count", [3, 16, 60, 400])
def test_nested_rows_are_compared(tmp_path: Path, count: int) -> None:
    path = "tests/test_a.py"
    same = compare_projects(tmp_path / "a", {path: nest(count)}, {path: nest(count) + "\n# more\n"})
    other = compare_projects(tmp_path / "b", {path: nest(count)}, {path: nest(count, answer=4)})
    late = nest(count).replace(str(9 + count), "9999")
    row = compare_projects(tmp_path / "c", {path: nest(count)}, {path: late})
    assert not list(tests.find_concerns(same))
    assert [concern.kind for concern in tests.find_concerns(other)] == ["edit-expected"]
    assert [concern.kind for concern in tests.find_concerns(row)] == ["edit-expected"]


ROWS = ", ".join(map(str, range(200)))
DOUBLING = {
    "tests/test_a.py": f"def test_it():\n    s = 'x'\n    for n in ({ROWS}):\n        {{}}\n"
    "    assert f(s) == 1\n",
    "test/a.test.js": "test('it', () => { let s = 'x'; for (const n of [" + ROWS + "]) { {} }\n"
    "expect(f(s)).toBe(1); });\n",
}


@pytest.mark.parametrize(
    ("path", "statement"),
    [
        ("tests/test_a.py", "s += s"),
        ("tests/test_a.py", 's = f"{s}{s}"'),
        ("tests/test_a.py", "add(s, s)"),
        ("tests/test_a.py", "s.part = s"),
        ("test/a.test.js", "add(s, s);"),
        ("test/a.test.js", "s = `${s}${s}`;"),
    ],
)
def test_a_value_that_doubles_in_every_row_stays_small(
    tmp_path: Path, path: str, statement: str
) -> None:
    test = read(tmp_path, path, DOUBLING[path].replace("{}", statement))
    assert len(test.assertions) == 1
    assert size(test) <= 1_000
    assert all(len(each) <= 11_000 for each in test.assertions[0].actual)


LONG = ", ".join(map(str, range(20_000)))
HUGE = "0, " * 3_400_000
DEEP = "g(" * 3_000 + "1" + ")" * 3_000


def double(let: str, opening: str, closing: str) -> str:
    """Sixty lines, each of which doubles the value of the one before."""
    lines = (f"{let}a{n + 1} = {opening}a{n}, a{n}{closing}\n" for n in range(60))
    return "".join((f"{let}a0 = {opening}1, 2{closing}\n", *lines))


# By language: the file of tests, one test around an expression, a value that doubles.
LANGUAGES = {
    "python": ("tests/test_a.py", "{before}def test_a():\n    assert f({given}) == {answer}\n"),
    "javascript": (
        "test/a.test.js",
        "{before}test('a', () => {{ expect(f({given})).toBe({answer}); }});\n",
    ),
    "go": (
        "a_test.go",
        snippet("""
            package a

            func TestA(t *testing.T) {{
            {before}
            \tif f({given}) != {answer} {{ t.Error(1) }}
            }}
        """),
    ),
    "rust": (
        "tests/a.rs",
        snippet("""
            #[test]
            fn a() {{
            {before}assert_eq!(f({given}), {answer});
            }}
        """),
    ),
    "java": (
        "src/test/java/ATest.java",
        snippet("""
            class ATest {{ @Test void a() {{
            {before}assertEquals({answer}, f({given}));
            }} }}
        """),
    ),
}
LISTS = {
    "python": ("[", "]"),
    "javascript": ("[", "]"),
    "go": ("[]int{", "}"),
    "rust": ("[", "]"),
    "java": ("new int[]{", "}"),
}
DOUBLINGS = {
    "python": double("", "(", ")"),
    "javascript": double("const ", "[", "];"),
    "go": double("\t", "[]any{", "}").replace(" = ", " := "),
    "rust": double("let ", "(", ");"),
    "java": double("var ", "new int[]{", "};"),
}


def compare_edit(top: Path, language: str, given: str, before: str = "") -> Comparison:
    """Compare the same test in both trees, with another expected value in the second."""
    path, text = LANGUAGES[language]
    old, new = (text.format(before=before, given=given, answer=answer) for answer in (1, 2))
    return compare_projects(top, {path: old}, {path: new})


def find_ids(comparison: Comparison) -> set[str]:
    return {concern.kind for concern in find_concerns(comparison)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_many_literals_are_read(tmp_path: Path, language: str) -> None:
    opening, closing = LISTS[language]
    comparison = compare_edit(tmp_path, language, f"{opening}{LONG}{closing}")
    assert [concern.kind for concern in tests.find_concerns(comparison)] == ["edit-expected"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_ten_megabytes_of_literals_are_reported_as_unread(tmp_path: Path, language: str) -> None:
    opening, closing = LISTS[language]
    comparison = compare_edit(tmp_path, language, f"{opening}{HUGE}{closing}")
    assert find_ids(comparison) == {"edit-test"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_file_nested_too_deep_is_reported_as_unread(tmp_path: Path, language: str) -> None:
    comparison = compare_edit(tmp_path, language, DEEP)
    assert [concern.kind for concern in tests.find_concerns(comparison)] == ["edit-test"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_values_that_double_line_by_line_are_reported_as_unread(
    tmp_path: Path, language: str
) -> None:
    comparison = compare_edit(tmp_path, language, "a60", DOUBLINGS[language])
    found = list(tests.find_concerns(comparison))
    assert [concern.kind for concern in found] == ["edit-test"]
    assert "cannot be compared with the baseline" in found[0].detail


def test_an_unchanged_unread_file_is_no_concern(tmp_path: Path) -> None:
    path, text = LANGUAGES["python"]
    whole = text.format(before=DOUBLINGS["python"], given="a60", answer=1)
    old, new = {path: whole, "a.py": "A = 1\n"}, {path: whole, "a.py": "A = 2\n"}
    assert not find_ids(compare_projects(tmp_path, old, new))


@pytest.mark.slow
@pytest.mark.parametrize(
    "body",
    [
        snippet("""
            for a in R:
              for b in R:
               for c in R:
                for d in R:
                 assert f(a, b) == 1
        """),
        "assert all(all(all(f(a) == 1 for a in R) for b in R) for c in R)\n",
        f"assert all(f(a) == 1 for a in {'[x for x in ' * 90}y{']' * 90})\n",
    ],
)
def test_nested_rows_and_comprehensions_are_read_in_bounded_time(tmp_path: Path, body: str) -> None:
    rows = f"R = ({', '.join(map(str, range(300)))})\n"
    test = read_inventory(tree(tmp_path, {"tests/test_a.py": f"{rows}def test_a():\n {body}"}))
    assert len(test.tests) + len(test.unread) == 1


def test_a_large_product_of_parameters_is_cut_off(tmp_path: Path) -> None:
    marks = "".join(f"@pytest.mark.parametrize('p{n}', [{ROWS}])\n" for n in range(8))
    test = read(tmp_path, "tests/test_a.py", f"{marks}def test_a(p0):\n    assert f(p0) == 1\n")
    assert len(test.assertions) == 400


def test_ten_thousand_tests_of_one_file_are_compared(tmp_path: Path) -> None:
    path = "tests/test_a.py"
    old = "".join(f"def test_a{n}():\n    assert f({n}) == {n}\n\n" for n in range(10_000))
    comparison = compare_projects(tmp_path, {path: old}, {path: old.replace("== 77\n", "== 78\n")})
    assert [concern.id.partition("#")[0] for concern in tests.find_concerns(comparison)] == [
        "edit-expected:tests/test_a.py:test_a77"
    ]


def test_constants_that_double_are_not_folded() -> None:
    lines = "".join(f"A{n + 1} = A{n} * A{n}\nB{n + 1} = B{n} + B{n}\n" for n in range(60))
    found = read_constants(f"A0 = 99\nB0 = 'xx'\n{lines}", "python")
    assert found["A1"] == 9801
    assert found["B1"] == "xxxx"
    assert "A60" not in found
    assert "B60" not in found


def test_settings_made_of_constants_that_double_are_not_read() -> None:
    lines = "".join(f"const a{n + 1} = {{x: a{n}, y: a{n}}};\n" for n in range(60))
    text = f"const a0 = {{rules: {{eqeqeq: 'error'}}}};\n{lines}module.exports = a60;\n"
    assert not parse_settings("eslint.config.js", text)
    assert parse_settings("eslint.config.js", "module.exports = {rules: {eqeqeq: 'error'}};\n")


def test_settings_too_large_to_read_are_reported_and_code_is_left_to_a_run(tmp_path: Path) -> None:
    old = {"a.py": "A = 1\n", "ruff.toml": ""}
    new = {"a.py": f"A = [{HUGE}]\n", "ruff.toml": f"a = [{HUGE}]\n"}
    comparison = compare_projects(tmp_path, old, new)
    found = find_concerns(comparison)
    assert [(concern.kind, concern.path) for concern in found] == [("unread", "ruff.toml")]
    assert find_opaque_files(comparison) == {"a.py": "is larger than 4 MB"}


def test_processor_time_is_limited() -> None:
    with pytest.raises(LimitExceeded, match="processor time"), Budget(seconds=0.3).use():
        re.match(r"(a+)+b", "a" * 40)


def test_memory_is_limited() -> None:
    with pytest.raises(LimitExceeded, match="30 MB of memory"), Budget(megabytes=30).use():
        [str(n) * 10 for n in range(10_000_000)]


def test_other_threads_are_limited_when_they_read_files(tmp_path: Path) -> None:
    files = tree(tmp_path, {"a.py": "A = 1\n"})

    def reading() -> str:
        with Budget(seconds=0.01).use():
            while True:
                files.text("a.py")

    with ThreadPoolExecutor() as apart, pytest.raises(LimitExceeded, match=r"last read: `a\.py`"):
        apart.submit(reading).result()


def compare_in_no_time(top: Path, old: dict[str, str], new: dict[str, str]) -> list[Concern]:
    comparison = compare_projects(top, old, new)
    return list(find_concerns(replace(comparison, budget=Budget(seconds=0))))


def test_a_comparison_that_takes_too_long_is_a_concern(tmp_path: Path) -> None:
    old, first, second = ({"setup.cfg": f"[a]\nb = {n}\n"} for n in (1, 2, 3))
    found = compare_in_no_time(tmp_path / "a", old, first)
    other = compare_in_no_time(tmp_path / "b", old, second)
    assert [(concern.kind, concern.path) for concern in found] == [("unread", "setup.cfg")]
    assert found[0].id != other[0].id


def test_what_is_not_compared_in_time_has_a_concern_by_its_role(tmp_path: Path) -> None:
    """Of files of the product, such as `a.py`, a run decides."""
    names = ("tests/test_a.py", "pyproject.toml", "a.py", "README.md")
    old, new = (dict.fromkeys(names, f"# {n}\n") for n in (1, 2))
    found = compare_in_no_time(tmp_path, old, new)
    assert [(concern.kind, concern.path) for concern in found] == [
        ("unread", "pyproject.toml"),
        ("edit-test", "tests/test_a.py"),
    ]


def test_a_costly_file_is_left_unread_and_the_others_are_compared(tmp_path: Path) -> None:
    path, text = LANGUAGES["python"]
    old, new = (text.format(before="", given=1, answer=answer) for answer in (1, 2))
    costly = {"a.py": f"A = [{'0, ' * 200_000}]\n"}
    comparison = compare_projects(tmp_path, {path: old, "a.py": ""}, {path: new, **costly})
    found = [(concern.kind, concern.path) for concern in find_concerns(comparison)]
    assert found == [("edit-expected", path)]
    assert comparison.unread == {"a.py": "takes about 200 MB to parse"}


def test_a_test_file_that_became_too_large_is_unread_and_not_removed(tmp_path: Path) -> None:
    path, text = LANGUAGES["python"]
    small, large = (text.format(before="", given=given, answer=1) for given in ("1", f"[{HUGE}]"))
    assert find_ids(compare_projects(tmp_path, {path: small}, {path: large})) == {"edit-test"}


def test_a_file_that_takes_too_long_by_itself_is_named(tmp_path: Path) -> None:
    files = tree(tmp_path, {"a.py": "a" * 40})

    def search(files: Tree, path: str) -> bool:
        return bool(re.match(r"(a+)+b", files.text(path)))

    with pytest.raises(FileTooCostly, match="to read") as raised, Budget().use():
        files.fact(search, "a.py")
    assert raised.value.path == "a.py"


def test_what_one_part_of_a_stop_used_is_missing_for_the_next() -> None:
    budget = Budget(seconds=0.2)
    with budget.use():
        sum(range(3_000_000))
    with pytest.raises(LimitExceeded, match="processor time"), budget.use():
        work_without_end()
    with pytest.raises(LimitExceeded, match="processor time"), budget.use():
        pass


LIMITED = """\
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (600_000_000, 600_000_000))
from pathlib import Path
from untildone.integrity.tests.inventory import read_inventory
from untildone.worktree.contents import read_tree, walk_files
root = Path(sys.argv[1])
print(len(read_inventory(read_tree(root, walk_files(root))).tests[0].assertions))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_AS is enforced on Linux")
def test_nested_rows_need_little_memory(tmp_path: Path) -> None:
    write_tree(tmp_path, {"tests/test_a.py": nest(400)})
    command = [sys.executable, "-c", LIMITED, str(tmp_path)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert ran.stdout == "800\n"


def work_without_end() -> None:
    while True:
        sum(range(10_000))


class Careless:
    """An object whose destructor is interrupted: Python prints that error and goes on."""

    def __del__(self) -> None:
        work_without_end()


def lose_first_error() -> None:
    Careless()
    work_without_end()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_time_stays_limited_after_an_error_that_was_lost() -> None:
    with pytest.raises(LimitExceeded, match="processor time"), Budget(seconds=0.2).use():
        lose_first_error()


def hold_lock(lock: Lock, seconds: float) -> None:
    """Hold a lock for a while as code of others does; an error meanwhile would never release it."""
    lock.acquire()
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass
    lock.release()


def test_a_lock_of_code_that_is_not_ours_is_released() -> None:
    lock = Lock()
    with suppress(LimitExceeded), Budget(seconds=0.1).use():
        hold_lock(lock, 0.3)
    assert not lock.locked()


def test_no_error_comes_after_the_budget_was_used() -> None:
    for _ in range(20):
        with suppress(LimitExceeded), Budget(seconds=0.1).use():
            hold_lock(Lock(), 0.1)
        hold_lock(Lock(), 0.1)


def test_what_a_thread_leaves_of_its_part_is_given_back() -> None:
    budget = Budget(seconds=5)
    lent = budget.lend(3)
    assert (lent.seconds, budget.lend(9).seconds) == (3, 2)
    with pytest.raises(LimitExceeded), budget.use():
        pass
    budget.take_back(lent)
    with budget.use():
        pass

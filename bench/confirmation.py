"""What it costs to prove `done`, in runs of the check itself, where that takes long or a second."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from bench.integrity.case import Case, Folder
from bench.integrity.stage import Played, Stage
from bench.integrity.toolbox import Toolbox, install_toolbox
from bench.table import Row

BOUND = 1.5
# Of an ordinary stop, of one that shows the change by some of its tests, and what a second stop of
# the same tree may take, in runs of the check; and the seconds that are our own.
CONFIRMED, SHOWN, REPEATED, OWN_SECONDS = 2.2, 2.7, 0.3, 0.7
# So many that the build from nothing takes a minute in Rust, a dozen seconds elsewhere.
RUST_TYPES = 14_000
PYTHON_TESTS = 40
# With the start of pytest a second in all: what is our own shows.
QUICK_TESTS = 3
TYPESCRIPT_FILES = 5_000

WRONG = "a - b"
DOUBLE_TEST = "from sums import double\n\n\ndef test_none():\n    assert double(0) == 0\n"
SHOWING_TEST = f"{DOUBLE_TEST}\n\ndef test_two():\n    assert double(2) == 4\n"
NOTHING: Mapping[str, str] = MappingProxyType({})


class Project(NamedTuple):
    """Files by path; `cold` throws away what a check has built."""

    check: str
    product: str
    files: dict[str, str]
    cold: str = "true"
    fix: tuple[str, str] = (WRONG, "a + b")


def write_python(tests: int = PYTHON_TESTS) -> Project:
    test = "import time\nimport pytest\nfrom sums import add\n\n\n"
    test += f"@pytest.mark.parametrize('n', range({tests}))\n"
    test += "def test_add(n):\n    time.sleep(0.25)\n    assert add(n, 1) == n + 1\n"
    files = {
        "sums.py": f"def add(a, b):\n    return {WRONG}\n",
        "test_sums.py": test,
        "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n',
    }
    return Project("python -m pytest -q", "sums.py", files)


def write_green_python() -> Project:
    """The check is green before: the change is shown by the few tests of one file."""
    project = write_python()
    right = project.files["sums.py"].replace(WRONG, "a + b")
    rounded = f"{right}\n\ndef double(a):\n    return a{{}}\n"
    files = {
        **project.files,
        "sums.py": rounded.format(""),
        "test_double.py": DOUBLE_TEST,
    }
    return project._replace(files=files, fix=("return a\n", "return a * 2\n"))


def write_typescript() -> Project:
    def part(number: int) -> str:
        fields = "".join(f"  readonly f{n}: Partial<Record<K, {n}>>;\n" for n in range(40))
        return f"export interface T{number}<K extends string> {{\n{fields}}}\n" + "".join(
            f"export const v{n} = <K extends string>(t: T{number}<K>) => t.f{n};\n"
            for n in range(40)
        )

    files = {f"src/part{n}.ts": part(n) for n in range(TYPESCRIPT_FILES)}
    files["src/sums.ts"] = "export const add = (a: bigint, b: number): number => a + b;\n"
    files["tsconfig.json"] = (
        '{"compilerOptions": {"strict": true, "noEmit": true}, "include": ["src"]}\n'
    )
    return Project("tsc -p .", "src/sums.ts", files, fix=("bigint", "number"))


def write_go() -> Project:
    """Cold is the toolchain's own library too."""
    files = {
        "go.mod": "module sums\n\ngo 1.21\n",
        "sums.go": f"package sums\n\nfunc Add(a, b int) int {{ return {WRONG} }}\n",
        "sums_test.go": (
            'package sums\n\nimport (\n\t"net/http/httptest"\n\t"testing"\n)\n\n'
            "func TestAdd(t *testing.T) {\n\thttptest.NewRecorder()\n"
            '\tif Add(1, 2) != 3 {\n\t\tt.Fatal("not 3")\n\t}\n}\n'
        ),
    }
    cache = "GOCACHE=$HOME/.cache/go-build"
    return Project(f"{cache} go test ./...", "sums.go", files, f"{cache} go clean -cache")


def write_rust() -> Project:
    derived = "#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]\n"
    types = "".join(
        f"{derived}pub struct T{n} {{ pub a: u64, pub b: String, pub c: Vec<u8> }}\n"
        for n in range(RUST_TYPES)
    )
    tested = (
        "#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() {\n"
        "        assert_eq!(super::add(1, 2), 3);\n    }\n}\n"
    )
    files = {
        "Cargo.toml": '[package]\nname = "sums"\nversion = "0.1.0"\nedition = "2021"\n',
        "src/types.rs": types,
        "src/lib.rs": (
            f"pub mod types;\n\npub fn add(a: i64, b: i64) -> i64 {{\n    {WRONG}\n}}\n\n{tested}"
        ),
    }
    return Project("cargo test --offline --lib", "src/lib.rs", files, "cargo clean --offline")


LANGUAGES: dict[str, Callable[[], Project]] = {
    "Python": write_python,
    "quick Python": partial(write_python, QUICK_TESTS),
    "TypeScript": write_typescript,
    "Go": write_go,
    "Rust": write_rust,
}


def measure(folder: Path) -> Iterator[Row]:
    tools = install_toolbox()
    yield from measure_stops(folder, tools)
    for language, project in LANGUAGES.items():
        case = write_project(folder / language, project(), language)
        played = Stage(case, tools, folder / f"{language}-box").play([])
        if not played.done:
            raise RuntimeError(f"{language}: {played.outcome}, {played.message}")
        taken = played.check_seconds
        cost = (played.stop_seconds - taken) / taken
        yield Row(f"confirmation: {language}", cost, BOUND, f"a check of {taken:.0f} s")


def measure_stops(folder: Path, tools: Toolbox) -> Iterator[Row]:
    """What whole stops cost, in runs of the check in the same state of its caches."""

    def play(name: str, project: Project, more: Mapping[str, str] = NOTHING) -> Played:
        case = write_project(folder / name, project, name, more)
        return Stage(case, tools, folder / f"{name}-box").play([])

    of = "runs of the check"
    fixed, quick = play("fixed", write_python()), play("quick", write_python(QUICK_TESTS))
    yield Row("a confirmed stop", fixed.stop_seconds / fixed.check_seconds, CONFIRMED, of)
    shown = play("shown", write_green_python(), {"test_double.py": SHOWING_TEST})
    yield Row("and a test that shows it", shown.stop_seconds / shown.check_seconds, SHOWN, of)
    unshown = play("unshown", write_green_python())
    second = unshown.later_seconds[0] / unshown.check_seconds
    yield Row("a second stop of the same tree", second, REPEATED, of)
    own = quick.stop_seconds - 2 * quick.check_seconds
    yield Row("our own part of a stop", own, OWN_SECONDS, "seconds")


def write_project(
    folder: Path, project: Project, language: str, more: Mapping[str, str] = NOTHING
) -> Folder:
    right = project.files[project.product].replace(*project.fix)
    after = {project.product: right, **more}
    for below, files in (("base", project.files), ("after", after)):
        for path, text in files.items():
            place = folder / below / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
    case = Case(
        name=language,
        kind="honest",
        category="cost",
        language=language,
        check=project.check,
        cold=project.cold,
        task="add must add",
    )
    return Folder(folder, case)

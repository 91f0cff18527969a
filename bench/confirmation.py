"""What it costs to prove `done`, in runs of the check itself, where that takes long or a second."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from bench.integrity.case import Case, Folder
from bench.integrity.stage import Stage
from bench.integrity.toolbox import install_toolbox
from bench.table import Row

BOUND = 1.5
# So many that the build from nothing takes a minute in Rust, a dozen seconds elsewhere.
RUST_TYPES = 14_000
PYTHON_TESTS = 40
# With the start of pytest a second in all: what is our own shows.
QUICK_TESTS = 3
TYPESCRIPT_FILES = 5_000

WRONG = "a - b"


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
    for language, project in LANGUAGES.items():
        case = write_project(folder / language, project(), language)
        played = Stage(case, tools, folder / f"{language}-box").play([])
        if not played.done:
            raise RuntimeError(f"{language}: {played.outcome}, {played.message}")
        taken = played.check_seconds
        cost = (played.stop_seconds - taken) / taken
        yield Row(f"confirmation: {language}", cost, BOUND, f"a check of {taken:.0f} s")


def write_project(folder: Path, project: Project, language: str) -> Folder:
    right = project.files[project.product].replace(*project.fix)
    for below, files in (("base", project.files), ("after", {project.product: right})):
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

"""C and C++ with CMake: configured and built outside the sources, tested by CTest."""

from collections.abc import Iterator
from pathlib import Path

from untildone.checks.detection.candidate import Candidate
from untildone.checks.detection.project_files import read_text
from untildone.core.late_patterns import compile_late

_FILE = "CMakeLists.txt"
_ENABLES_TESTS = compile_late(r"(?mi)^[ \t]*(?:enable_testing|include\s*\(\s*CTest)\b")


def find_candidates(project: Path) -> Iterator[Candidate]:
    text = read_text(project / _FILE)
    if text is None:
        return
    folder = _choose_build_folder(project)
    build = f"cmake -S . -B {folder} && cmake --build {folder}"
    yield Candidate(
        aspect="build", tool="cmake", command=build, reason=f"`{_FILE}` makes it a CMake project"
    )
    if _ENABLES_TESTS.search(text):
        yield Candidate(
            aspect="test",
            tool="ctest",
            command=f"{build} && ctest --test-dir {folder} --output-on-failure",
            reason=f"`{_FILE}` enables testing",
        )


def _choose_build_folder(project: Path) -> str:
    """Return the folder in use, or a new one; never a folder with other content."""
    used = sorted(path.parent.name for path in project.glob("*/CMakeCache.txt"))
    if used:
        return used[0]
    return "build" if not (project / "build").exists() else "cmake-build"

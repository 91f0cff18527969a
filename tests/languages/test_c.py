"""C: a Makefile whose tests speak TAP, and a CMake project tested by CTest."""

from pathlib import Path

from languages.workshop import GREEN, Came, Counted, Workshop
from snippets import snippet
from tools import on_machine


def test_make_from_red_to_green(tmp_path: Path) -> None:
    project = Workshop(tmp_path, "c", on_machine("make"), on_machine("gcc"))
    assert project.detected() == {"build": "make", "test": "make test"}

    red = project.checked()
    project.apply("mended")
    green = project.checked()

    unused = ("fare.c", 6, "-Wunused-variable")
    failed = Came("red", {("", 0, "youths pay half")}, Counted(1, 1, ("youths pay half",)))
    assert red == {
        "build": Came("green", {unused}),
        "test": failed._replace(reason="1 of 2 tests failed"),
    }
    assert green == {"build": GREEN, "test": Came("green", tests=Counted(2, 0))}


def test_cmake_from_red_to_green(tmp_path: Path) -> None:
    project = Workshop(tmp_path, "cmake", on_machine("cmake"), on_machine("gcc"))
    build = "cmake -S . -B build && cmake --build build"
    assert project.detected() == {
        "build": build,
        "test": f"{build} && ctest --test-dir build --output-on-failure",
    }

    red = project.checked()
    project.apply("mended")
    green = project.checked()

    failed = Came("red", {("", 0, "youths")}, Counted(1, 1, ("youths",)), "1 of 2 tests failed")
    assert red == {"build": GREEN, "test": failed}
    assert green == {"build": GREEN, "test": Came("green", tests=Counted(2, 0))}


def test_code_that_does_not_compile_is_found_in_its_line(tmp_path: Path) -> None:
    project = Workshop(tmp_path, "cmake", on_machine("cmake"), on_machine("gcc"))
    project.write(
        "fare.c",
        snippet("""
            int fare(int age) {
                return years;
            }
        """),
    )

    (came,) = project.checked("build").values()

    assert (came.outcome, came.places) == ("red", {("fare.c", 2, "")})


def test_without_tests_there_is_no_evidence(tmp_path: Path) -> None:
    project = Workshop(tmp_path, "cmake", on_machine("cmake"), on_machine("gcc"))
    project.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.20)\nenable_testing()\n")

    assert project.checked("test")["test"].says == ("no-evidence", "no test was run")


def test_a_missing_compiler_is_unrunnable(tmp_path: Path) -> None:
    project = Workshop(tmp_path, "c", on_machine("make"))
    makefile = project.project.joinpath("Makefile").read_text(encoding="utf-8")
    project.write("Makefile", makefile.replace("gcc", "no-such-compiler"))

    assert project.checked("build")["build"].says == (
        "unrunnable",
        "`no-such-compiler` was not found",
    )

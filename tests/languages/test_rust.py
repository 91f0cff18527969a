"""Rust: cargo, from code that does not compile over a failing test to green."""

import os
from pathlib import Path

from languages.workshop import GREEN, Came, Counted, Workshop
from tools import on_machine


def workshop(folder: Path) -> Workshop:
    # Where rustup installed it, cargo is a proxy that looks for its toolchain at home.
    home = os.environ.get("RUSTUP_HOME", str(Path.home() / ".rustup"))
    return Workshop(folder, "rust", on_machine("cargo"), RUSTUP_HOME=home)


def test_from_red_to_green(tmp_path: Path) -> None:
    project = workshop(tmp_path)
    assert project.detected() == {"build": "cargo build", "test": "cargo test"}

    broken = project.checked()
    project.apply("compiling")
    red = project.checked()
    project.apply("mended")
    green = project.checked()

    mismatch = Came("red", {("src/lib.rs", 5, "E0308")}, reason="exit code 101")
    places = {("tests/fares.rs", 10, "youths_pay_half")}
    failed = Came("red", places, Counted(1, 1, ("youths_pay_half",)), "1 of 2 tests failed")
    assert broken == {"build": mismatch, "test": mismatch}
    assert red == {"build": GREEN, "test": failed}
    assert green == {"build": GREEN, "test": Came("green", tests=Counted(2, 0))}


def test_without_tests_there_is_no_evidence(tmp_path: Path) -> None:
    project = workshop(tmp_path)
    project.apply("mended")
    project.remove("tests/fares.rs")

    assert project.checked("test")["test"].says == ("no-evidence", "no test was run")


def test_a_missing_tool_is_unrunnable(tmp_path: Path) -> None:
    project = workshop(tmp_path)
    project.without_tools()

    assert project.checked("build")["build"].says == ("unrunnable", "`cargo` was not found")

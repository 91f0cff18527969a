"""Output of any size: parsed at once, in pieces, or as a document."""

import json
import os
import shlex
import sys
from pathlib import Path, PureWindowsPath
from typing import cast

import pytest

from untildone.checks.clean_output import clean, read_pieces, write_clean_copy
from untildone.checks.findings import Diagnostic, make_findings
from untildone.checks.parallel_run import RunOptions, run_checks
from untildone.checks.result import RunArtifacts, judge_result
from untildone.checks.secret_redaction import REMOVED
from untildone.core import check_results
from untildone.core.check_results import CheckResult
from untildone.core.contract import Check
from untildone.process.output import HEAD_LIMIT, TAIL_LIMIT
from untildone.process.runner import Finished

MANY = 100_000


def judge(
    folder: Path, output: str | bytes, command: str, *, code: int = 1, cwd: str = ""
) -> CheckResult:
    data = output.encode() if isinstance(output, str) else output
    whole = folder / "output"
    whole.write_bytes(data)
    finished = Finished(
        exit_code=code,
        head=data[:HEAD_LIMIT],
        tail=data[HEAD_LIMIT:][-TAIL_LIMIT:],
        size=len(data),
    )
    check = Check(name="t", command=command, cwd=cwd)
    return judge_result(check, finished, project=folder, artifacts=RunArtifacts(output=whole))


def lines(result: CheckResult) -> list[int]:
    return [finding.line for finding in result.findings]


def found_lines(count: int) -> str:
    return "".join(f"cart.py:{number}:1: F401 unused\n" for number in range(1, count + 1))


@pytest.mark.parametrize("count", [10, 10_000, MANY], ids=["small", "at once", "in pieces"])
@pytest.mark.parametrize("command", ["ruff check", "make lint"])
def test_all_findings_are_found_wherever_they_are(tmp_path: Path, count: int, command: str) -> None:
    result = judge(tmp_path, found_lines(count), command)
    assert lines(result) == list(range(1, count + 1))
    assert {finding.code for finding in result.findings} == {"F401"}


def test_a_tool_that_is_not_known_is_read_to_its_end(tmp_path: Path) -> None:
    noise = "compiled something into something else\n" * 100_000
    result = judge(tmp_path, f"{noise}cart.zig:7: no such name\n{noise}", "zig build")
    assert [(finding.path, finding.line) for finding in result.findings] == [("cart.zig", 7)]


def test_a_named_tool_is_heard_in_the_middle_of_noise(tmp_path: Path) -> None:
    noise = "compiled something into something else\n" * 100_000
    result = judge(tmp_path, f"{noise}{found_lines(1)}{noise}", "make all && ruff check")
    assert [(finding.line, finding.code) for finding in result.findings] == [(1, "F401")]


def ruff_entry(number: int, text: str, folder: Path) -> dict[str, object]:
    return {
        "code": "F401",
        "filename": str(folder / "web" / "cart.py"),
        "location": {"column": 1, "row": number},
        "message": text,
    }


def test_a_large_list_of_ruff_is_read_whole(tmp_path: Path) -> None:
    entries = [ruff_entry(number, "`os` unused", tmp_path) for number in range(1, MANY + 1)]
    result = judge(tmp_path, json.dumps(entries, indent=1), "ruff check", cwd="web")
    assert lines(result) == list(range(1, MANY + 1))
    assert {finding.path for finding in result.findings} == {"web/cart.py"}
    assert len({finding.fingerprint for finding in result.findings}) == MANY


def test_findings_of_a_large_document_are_cleaned_for_display(tmp_path: Path) -> None:
    texts = ["plain", "\x1b[31mred", "token=abcdefgh1", f"in {tmp_path}/lib/a.py", "x" * 100]
    entries = [ruff_entry(1, text, tmp_path) for text in texts * 5_000]
    output = "> lint\n" + json.dumps(entries, indent=1)
    result = judge(tmp_path, output, "npm run lint")
    said = {finding.text for finding in result.findings}
    assert said == {"plain", "red", f"token={REMOVED}", "in lib/a.py", "x" * 100}


def test_a_key_over_several_texts_costs_only_them(tmp_path: Path) -> None:
    key = ["-----BEGIN PRIVATE KEY-----", "abc", "-----END PRIVATE KEY-----"]
    entries = [ruff_entry(1, text, tmp_path) for text in [*key, *["plain"] * 20_000]]
    result = judge(tmp_path, json.dumps(entries, indent=1), "ruff check")
    said = {finding.text for finding in result.findings}
    assert said == {REMOVED, "abc", "-----END PRIVATE KEY-----", "plain"}


def test_a_large_report_of_tests_is_counted(tmp_path: Path) -> None:
    cases = "".join(f'<testcase name="t{number}"/>\n' for number in range(MANY))
    result = judge(tmp_path, f"<testsuite>\n{cases}</testsuite>\n", "make test", code=0)
    assert result.tests is not None
    assert (result.outcome, result.tests.passed) == ("green", MANY)


def test_a_large_document_of_nobody_is_read_as_lines(tmp_path: Path) -> None:
    output = '{\n"a": 1\n' + found_lines(MANY)
    assert len(lines(judge(tmp_path, output, "ruff check"))) == MANY


def test_a_file_that_lost_its_end_is_not_read_instead(tmp_path: Path) -> None:
    data = found_lines(10_000).encode()
    whole = tmp_path / "output"
    whole.write_bytes(data[:1000])
    finished = Finished(
        exit_code=1, head=data[:HEAD_LIMIT], tail=data[-TAIL_LIMIT:], size=len(data)
    )
    check = Check(name="t", command="ruff check")
    for output in (whole, tmp_path / "nothing"):
        result = judge_result(check, finished, artifacts=RunArtifacts(output=output))
        assert (lines(result)[0], lines(result)[-1]) == (1, 10_000)


def test_tests_that_are_reported_in_the_middle_are_known(tmp_path: Path) -> None:
    results = "".join(f"test t{number} ... ok\n" for number in range(20_000))
    summary = "test result: ok. 20000 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out;\n"
    result = judge(tmp_path, results + summary, "cargo test", code=0)
    names = tuple(f"t{number}" for number in range(20_000))
    assert result.tests == check_results.Tests(passed=20_000, passing=names)


@pytest.mark.parametrize(
    ("reported", "expected"),
    [
        ("{project}/web/a.c", "web/a.c"),
        ("{project}/lib/a.c", "lib/a.c"),
        ("file://{project}/web/a.c", "web/a.c"),
        ("src/a.c", "web/src/a.c"),
        ("src\\a.c", "web/src/a.c"),
        ("../lib/a.c", "lib/a.c"),
        ("/usr/include/a.h", "/usr/include/a.h"),
        ("C:\\other\\a.c", "C:/other/a.c"),
    ],
)
def test_paths_are_relative_to_the_project(tmp_path: Path, reported: str, expected: str) -> None:
    line = f"{reported.format(project=tmp_path)}:3: known\n"
    (finding,) = judge(tmp_path, line, "x", cwd="web").findings
    assert finding.path == expected


class OfWindows(PureWindowsPath):
    """A project on another system."""

    def absolute(self) -> "OfWindows":
        return self

    resolve = absolute


@pytest.mark.parametrize(
    ("reported", "expected"),
    [
        ("C:\\Shop\\web\\a.c", "web/a.c"),
        ("c:/shop/web/a.c", "web/a.c"),
        ("file:///C:/shop/web/a.c", "web/a.c"),
        ("C:\\Shopping\\a.c", "C:/Shopping/a.c"),
        ("D:\\shop\\a.c", "D:/shop/a.c"),
    ],
)
def test_windows_writes_paths_in_any_case(reported: str, expected: str) -> None:
    project = cast("Path", OfWindows("C:\\Shop"))
    (finding,) = make_findings("t", [Diagnostic(path=reported, text="known")], project=project)
    assert finding.path == expected


@pytest.mark.parametrize(
    ("text", "size", "expected"),
    [
        ("", 4, []),
        ("ab\ncd\n", 100, ["ab\ncd\n"]),
        ("aa\nb\n\ncc\nd\n", 8, ["aa\nb\n\n", "cc\nd\n"]),
        ("aaa\nbbb\nccc\n", 6, ["aaa\n", "bbb\n", "ccc\n"]),
        ("aaaaaaaaaa", 4, ["aaaa", "aaaa", "aa"]),
    ],
)
def test_pieces_end_where_something_ends(
    tmp_path: Path, text: str, size: int, expected: list[str]
) -> None:
    path = tmp_path / "text"
    path.write_text(text, encoding="utf-8", newline="")
    assert list(read_pieces(path, size=size)) == expected


def test_a_private_key_is_not_cut(tmp_path: Path) -> None:
    key = "-----BEGIN PRIVATE KEY-----\n" + "abcd\n" * 200 + "-----END PRIVATE KEY-----\n"
    path, kept = tmp_path / "text", tmp_path / "kept"
    for before in range(0, 1_200, 100):
        text = "x" * (999_000 - before) + f"\n{key}" + "y\n" * 600_000
        path.write_text(text, encoding="utf-8")
        write_clean_copy(path, kept)
        assert kept.read_text(encoding="utf-8") == clean(text)


def test_of_a_very_long_text_the_beginning_and_the_end_are_kept(tmp_path: Path) -> None:
    path, kept = tmp_path / "text", tmp_path / "kept"
    path.write_text("first\n" + "x\n" * 6_000_000 + "last\n", encoding="utf-8")
    write_clean_copy(path, kept)
    text = kept.read_text(encoding="utf-8")
    assert (text[:6], text[-5:], text.count("[left out up to the end]")) == ("first\n", "last\n", 1)
    assert 8_000_000 < len(text) < 10_000_000


def test_the_log_is_for_nobody_else(tmp_path: Path) -> None:
    code = "print('token=abcdefgh1')"
    check = Check(name="t", command=f"{shlex.quote(sys.executable)} -c {shlex.quote(code)}")
    (result,) = run_checks([check], RunOptions(project=tmp_path, logs=tmp_path / "logs"))
    log = Path(result.output_path)
    assert log.read_text(encoding="utf-8") == f"token={REMOVED}\n"
    assert os.name == "nt" or log.stat().st_mode & 0o777 == 0o600
    log.unlink()
    log.mkdir()
    (result,) = run_checks([check], RunOptions(project=tmp_path, logs=tmp_path / "logs"))
    assert (result.outcome, result.output_path) == ("green", "")

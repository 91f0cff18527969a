"""Files and addresses looked at by the command that a check runs."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from untildone.features.plans.probe import main


class Answering(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(302 if self.path == "/moved" else 200)
        self.send_header("Location", "http://192.0.2.1/")
        self.end_headers()

    def do_POST(self) -> None:
        self.send_response(201)
        self.end_headers()

    def log_message(self, *_given: object) -> None:
        return


@pytest.fixture
def server() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Answering) as found:
        threading.Thread(target=found.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{found.server_port}"
        found.shutdown()


@pytest.mark.parametrize(
    ("method", "path", "code", "expected"),
    [
        ("GET", "/", 200, (0, "ok\n")),
        ("POST", "/", 201, (0, "ok\n")),
        ("GET", "/moved", 302, (0, "ok\n")),
        ("GET", "/", 404, (1, "GET `URL/` answers 200, not 404\n")),
        ("DELETE", "/", 200, (1, "DELETE `URL/` answers 501, not 200\n")),
    ],
)
def test_an_address_is_asked(
    server: str,
    capsys: pytest.CaptureFixture[str],
    method: str,
    path: str,
    code: int,
    expected: tuple[int, str],
) -> None:
    ended = main(["answers", "--", method, f"{server}{path}", str(code)])

    assert (ended, capsys.readouterr().out.replace(server, "URL")) == expected


def test_an_address_where_nobody_answers_is_not_met(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["answers", "GET", "http://127.0.0.1:1/", "200"]) == 1
    assert "`http://127.0.0.1:1/` gets no answer: " in capsys.readouterr().out


def test_a_file_is_looked_at(tmp_path: Path) -> None:
    tmp_path.joinpath("a b").write_text("one --two\n", encoding="utf-8")

    def look(*words: str) -> tuple[int, str]:
        argv = [
            sys.executable,
            "-I",
            "-m",
            "untildone.features.plans.probe",
            "contains",
            "--",
            *words,
        ]
        done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    assert look("a b", "--two") == (0, "ok\n")
    assert look("a b", "three") == (1, "`a b` does not contain `three`\n")
    assert look("c", "x") == (1, "`c` cannot be read: no such file or directory\n")

"""Cleaning of output: escapes, invisible characters, secrets, length."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untildone.checks.clean_output import clean, cut_to_tail
from untildone.checks.secret_redaction import REMOVED


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("\x1b[31mred\x1b[0m", "red", id="colour"),
        pytest.param("\x1b]0;title\x07a\x1b]52;c;ZXZpbA==\x1b\\b", "ab", id="title and clipboard"),
        pytest.param("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link", id="link"),
        pytest.param("\x1b]0;never ended\nnext", "\nnext", id="open string ends with its line"),
        pytest.param("\x1bPq#0\x1b\\a\x1b(B\x1b7\x1b[2Jb\x9b1mc", "abc", id="other escapes"),
        pytest.param("a\x00b\x07c\x08d\x7fe\tf\n", "abcde\tf\n", id="control characters"),
        pytest.param("a\u202eb\u2066c\u200bd\ufefff\U000e0041g", "abcdfg", id="unseen characters"),
        pytest.param("a\ud800b", "ab", id="lone surrogate"),
        pytest.param("a\r\nb\r\n", "a\nb\n", id="Windows line ends"),
        pytest.param(" 10%\r 50%\r100%\nb", "100%\nb", id="overwritten"),
        pytest.param("done\r\nlast\r", "done\nlast", id="a final return erases nothing"),
        pytest.param("a\u2028b\u2029c", "a\nb\nc", id="Unicode line ends"),
        pytest.param(
            "caf\u00e9 \u2713 \u65e5\u672c", "caf\u00e9 \u2713 \u65e5\u672c", id="letters"
        ),
    ],
)
def test_clean(text: str, expected: str) -> None:
    assert clean(text) == expected


PEM = """\
-----BEGIN RSA PRIVATE KEY-----
MIIEow
AB+/=
-----END RSA PRIVATE KEY-----"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMIK7MDENG", f"AWS_SECRET_ACCESS_KEY={REMOVED}"),
        ("SOME_KEY=abcdefgh1", f"SOME_KEY={REMOVED}"),
        ("GITLAB_TOKEN: abcdefgh", f"GITLAB_TOKEN: {REMOVED}"),
        ("export DB_PASSWORD='a b c' next", f"export DB_PASSWORD={REMOVED} next"),
        ("password=x", f"password={REMOVED}"),
        ('{"client_secret": "abcdefghi", "id": 1}', f'{{"client_secret": {REMOVED}, "id": 1}}'),
        ('"apiKey":"abcdefghi"', f'"apiKey":{REMOVED}'),
        ("https://x.test/?a=b&api_key=abcdefghi&c=d", f"https://x.test/?a=b&api_key={REMOVED}&c=d"),
        ("token=abcdefgh1", f"token={REMOVED}"),
        ("Authorization: Bearer abc", f"Authorization: Bearer {REMOVED}"),
        ("Authorization: Basic dXNlcjpwYXNz", f"Authorization: Basic {REMOVED}"),
        ("curl -H 'bearer abcdefgh12345'", f"curl -H 'bearer {REMOVED}'"),
        ("ghp_0123456789abcdefghijABCDEFGHIJ012345", REMOVED),
        ("github_pat_11ABCDEFG0123456789", REMOVED),
        ("sk-ant-api03-abcdefghijk", REMOVED),
        ("xoxb-123456789012-abc", REMOVED),
        ("id AKIAIOSFODNN7EXAMPLE.", f"id {REMOVED}."),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-_", REMOVED),
        (f"a\n{PEM}\nb", f"a\n{REMOVED}\nb"),
        ("postgres://app:hunter2@db:5432/x", f"postgres://app:{REMOVED}@db:5432/x"),
        ("to\u200bken=abcdefgh1", f"token={REMOVED}"),
    ],
)
def test_secrets_are_removed(text: str, expected: str) -> None:
    assert clean(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "KeyError: 'name'",
        "assert token == 'abcdefgh1'",
        "token = 5",
        "Unexpected token: identifier",
        "password: this field is required",
        "--- PASS: TestLeap400 (0.00s)",
        "api_key = settings.api_key",
        "login(password=password)",
        "{'password': ['This field is required.']}",
        "PASSWORD=",
        "sort(key=len)",
        "basic functionality of the cart",
        "task-runner-for-everything",
        "src/lib.rs:12:5: error: x",
        "https://example.test:8080/a@b",
        "-----BEGIN PUBLIC KEY-----",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert clean(text) == text


def test_values_of_secret_variables_are_removed_wherever_they_stand() -> None:
    environ = {
        "MY_TOKEN": "correct-horse",
        "OTHER_TOKEN": "correct-horse-battery",
        "HOME": "/home/shop",
        "SHORT_TOKEN": "abc",
    }
    text = "a correct-horse-battery b correct-horse c /home/shop abc"
    assert clean(text, environ=environ) == f"a {REMOVED} b {REMOVED} c /home/shop abc"


@given(st.text())
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    assert clean(clean(text)) == clean(text)


@pytest.mark.parametrize(
    "unit",
    [
        *("a", "-", "a=", "a.", "'", "\r", "\x1b]", "\x1b[", "://a:", "eyJ", "sk-", "A_KEY"),
        *("token=", "token:", "secret='", "password='", "x:token='a", "bearer ", "authorization: "),
        "-----BEGIN PRIVATE KEY-----",
    ],
)
def test_cleaning_takes_linear_time(unit: str) -> None:
    started = time.monotonic()
    clean(unit * (200_000 // len(unit)))
    assert time.monotonic() - started < 60


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("a\nb\nc", 10, "a\nb\nc"),
        ("aaa\nbbb\nccc", 7, "bbb\nccc"),
        ("aaa\nbbb\nccc", 6, "ccc"),
        ("aaa\nbbb\n", 5, "bbb\n"),
        ("aaaaaaaa", 3, "aaa"),
        ("a\nbbbbbbbb\n", 4, "bbb\n"),
        ("abc", 0, ""),
        ("", 0, ""),
    ],
)
def test_the_end_keeps_whole_lines(text: str, limit: int, expected: str) -> None:
    assert cut_to_tail(text, limit) == expected


def test_the_working_directory_is_no_password() -> None:
    environ = {"PWD": "/home/dev/shop", "DB_PWD": "hunter2hunter2"}

    assert clean("/home/dev/shop/a.py: hunter2hunter2", environ=environ) == (
        "/home/dev/shop/a.py: [secret removed]"
    )

"""Command lines and environments of checks."""

import pytest

from untildone.process.command import filter_environment, parse_argv

PLAIN = {
    "UNTILDONE_NESTED": "1",
    "NO_COLOR": "1",
    "TERM": "dumb",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
}


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("pytest -q", ["pytest", "-q"]),
        ("  npm  run  test -- --ci=true ", ["npm", "run", "test", "--", "--ci=true"]),
        ("pytest -k 'a or b' \"c d\" e\\ f", ["pytest", "-k", "a or b", "c d", "e f"]),
        ("./timed --wait", ["./timed", "--wait"]),
        ("timeout 5 true", ["timeout", "5", "true"]),
        ("cdk synth", ["cdk", "synth"]),
        ("grep '' x", ["grep", "", "x"]),
        ("", []),
    ],
)
def test_a_plain_command_needs_no_shell(command: str, expected: list[str]) -> None:
    assert parse_argv(command, windows=False) == expected


@pytest.mark.parametrize(
    "command",
    [
        "a; b",
        "a && b",
        "a | b",
        "a > b",
        "a < b",
        "a $B",
        "a `b`",
        "a *.py",
        "a ?.py",
        "a [bc]",
        "(a)",
        "{ a; }",
        "a {b,c}",
        "a ~/b",
        "a # b",
        "a\nb",
        "! a",
        "CI=1 a",
        "A+=1 b",
        "cd b",
        "exit 3",
        ". ./a",
        ":",
        "export A",
        "if a",
        "a 'open",
    ],
)
def test_shell_syntax_goes_through_a_shell(command: str) -> None:
    assert parse_argv(command, windows=False) == ["sh", "-c", command]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (r".venv\Scripts\pytest -q", [r".venv\Scripts\pytest", "-q"]),
        ("dirty --all", ["dirty", "--all"]),
        ("dir /b", ["cmd", "/d", "/s", "/c", "dir /b"]),
        ("a && b", ["cmd", "/d", "/s", "/c", "a && b"]),
        ("a %B%", ["cmd", "/d", "/s", "/c", "a %B%"]),
        ('a "b c"', ["cmd", "/d", "/s", "/c", 'a "b c"']),
    ],
)
def test_windows_has_its_own_shell(command: str, expected: list[str]) -> None:
    assert parse_argv(command, windows=True) == expected


@pytest.mark.parametrize(
    "name",
    [
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "CLAUDECODE",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "CLAUDE_PROJECT_DIR",
        "AI_AGENT",
        "OPENAI_API_KEY",
        "GEMINI_API_KEY",
        "GEMINI_SESSION_ID",
        "GOOGLE_API_KEY",
        "GOOGLE_GEMINI_BASE_URL",
        "QWEN_CODE_SESSION_ID",
        "CODEX_THREAD_ID",
        "COPILOT_PROVIDER_API_KEY",
        "COPILOT_GITHUB_TOKEN",
        "GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS",
        "CURSOR_PROJECT_DIR",
        "OPENCODE",
        "OPENCODE_CONFIG",
        "MCP_TIMEOUT",
        "GH_TOKEN",
        "GITHUB_TOKEN",
        "AWS_BEARER_TOKEN_BEDROCK",
        "anthropic_api_key",
        "FORCE_COLOR",
    ],
)
def test_what_belongs_to_the_client_is_withheld(name: str) -> None:
    assert filter_environment({name: "x"}) == PLAIN


@pytest.mark.parametrize(
    "name", ["PATH", "HOME", "CI", "GITHUB_ACTIONS", "UNTILDONE_HOME", "CODEXES", "MY_GH_TOKENS"]
)
def test_the_rest_stays(name: str) -> None:
    assert filter_environment({name: "x", "TERM": "xterm", "PAGER": "less"}) == {name: "x", **PLAIN}

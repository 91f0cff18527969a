"""Tool calls that would touch the loop itself are refused; honest work is not."""

import json
import time
from pathlib import Path

import pytest

from snippets import snippet
from untildone.agents.claude import hooks as claude
from untildone.commands.shell import parse_calls
from untildone.hooks.guard import Places, find_refusal

INSTEAD_VERB = "only the user can do that; if you cannot go on, run `untildone blocked REASON`"
INSTEAD_STATE = "the loop's state is kept by untildone; use `untildone note`, `met` or `signal`"
INSTEAD_SETTINGS = "leave untildone's entries as they are; change other keys with Edit"
HOOK = {"type": "command", "command": "exec python -I -S /x/untildone/hook Stop # untildone hook"}
SETTINGS = {"model": "opus", "hooks": {"Stop": [{"hooks": [HOOK]}]}}


class Place:
    """A state, an installed package, and a project whose folder has our name."""

    def __init__(self, folder: Path) -> None:
        self.state = folder / "home" / ".local" / "state" / "untildone"
        self.package = folder / "lib" / "site-packages" / "untildone"
        self.project = folder / "code" / "untildone"
        for made in (self.state / "loops" / "a1", self.package, self.project / ".claude"):
            made.mkdir(parents=True)
        self.user_folder = folder / "elsewhere"
        self.settings = self.project / ".claude" / "settings.json"
        self.settings.write_text(json.dumps(SETTINGS), encoding="utf-8")

    def call(self, tool: str, **inputs: object) -> str:
        protected = (str(self.state.resolve()), str(self.package.resolve()))
        places = Places(
            protected=protected,
            folder=claude.FOLDER,
            user_folder=str(self.user_folder),
            files=claude.SETTINGS,
        )
        return find_refusal(tool, inputs, cwd=str(self.project), places=places)

    def bash(self, command: str) -> str:
        filled = command.replace("STATE", str(self.state)).replace("PACKAGE", str(self.package))
        return self.call("Bash", command=filled.replace("HOME", str(self.state.parents[2])))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.mark.parametrize(
    "verb",
    [
        *(
            "approve",
            "cancel",
            "continue",
            "init",
            "notify",
            "otel",
            "pause",
            "rollback",
            "trust",
            "worker",
        ),
        "uninstall",
    ],
)
def test_the_users_verbs(place: Place, verb: str) -> None:
    assert place.bash(f"untildone {verb}") == f"`untildone {verb}` is refused: {INSTEAD_VERB}"


@pytest.mark.parametrize(
    "command",
    [
        "untildone cancel a1",
        "untildone --json cancel",
        "/usr/local/bin/untildone cancel",
        "./.venv/bin/untildone cancel",
        "sudo untildone cancel",
        "sudo -u root untildone cancel",
        "env -i A=1 untildone cancel",
        "A=1 B=2 untildone cancel",
        "nohup nice -n 5 untildone cancel &",
        "timeout 5s untildone cancel",
        "echo a1 | xargs -n 1 untildone cancel",
        "sh -c 'untildone cancel'",
        "bash -lc 'cd x && untildone cancel'",
        "bash -c \"sh -c 'untildone cancel'\"",
        "eval untildone cancel",
        'eval "untildone cancel"',
        "bash <<< 'untildone cancel'",
        snippet("""
            bash <<EOF
            untildone cancel
            EOF"""),
        snippet("""
            cat <<EOF | sh
            untildone cancel
            EOF"""),
        "python -m untildone cancel",
        "python3 -I -m untildone cancel",
        "python3 -m untildone.cli.main cancel",
        "uvx untildone cancel",
        "uvx untildone@latest cancel",
        "uvx --from untildone untildone cancel",
        "uv run untildone cancel",
        "pipx run untildone cancel",
        "true; untildone cancel",
        "true && untildone cancel",
        "false || untildone cancel",
        "true|untildone cancel",
        "make test\nuntildone cancel",
        "untildone \\\n  cancel",
        "echo $(untildone cancel)",
        'echo "$(untildone cancel)"',
        "echo `untildone cancel`",
        'echo "`untildone cancel`"',
        'echo "$(echo $(untildone cancel))"',
        "(untildone cancel)",
        "{ untildone cancel; }",
        "if true; then untildone cancel; fi",
        "for i in 1; do untildone cancel; done",
        "! untildone cancel",
        "untildone hook UserPromptSubmit --agent claude < prompt.json",
        "untildone baseline a1 tree",
        "untildone serve --allow-verbs",
        "untildone serve --port 0 --allow-verbs &",
        "pip uninstall -y untildone",
        "pipx uninstall untildone",
        "uv tool uninstall untildone",
        "python -m pip uninstall untildone",
    ],
)
def test_a_verb_is_seen_through_its_wrapping(place: Place, command: str) -> None:
    assert place.bash(command).endswith(f"is refused: {INSTEAD_VERB}")


@pytest.mark.parametrize(
    "command",
    [
        "",
        "untildone",
        "untildone --version",
        "untildone status --json",
        "untildone signal",
        "untildone serve --port 0",
        "untildone blocked 'cannot cancel the build'",
        "untildone note 'pause here'",
        "untildone met docs --by observation --evidence 'continue works'",
        "untildone check; untildone show a1; untildone start --preset test",
        "python -m untildone status",
        "uvx untildone status",
        'git commit -m "untildone cancel"',
        "git commit -m 'Document `untildone cancel` and $(untildone pause)'",
        "git commit -m \"$(cat <<'EOF'\nuntildone cancel works\nIt's `untildone pause`\nEOF\n)\"",
        snippet("""
            cat > NOTES.md <<'EOF'
            untildone cancel
            EOF"""),
        "# untildone cancel ; untildone pause\nls",
        "echo untildone cancel",
        "grep -rn 'untildone cancel' src",
        "grep untildone README.md",
        "rg untildone | head",
        "man untildone",
        "pip install untildone",
        "pip show untildone",
        "uv init",
        "uv init untildone-demo",
        "pipx uninstall black",
        "npm init -y && npm run continue",
        "git stash pause",
        "docker pause web",
        "cd untildone && make test",
        "pytest tests/untildone -k cancel",
        "rm -rf build && mkdir -p untildone/cancel",
        "echo 'unbalanced",
        "untildone status 'unbalanced",
    ],
)
def test_honest_commands(place: Place, command: str) -> None:
    assert place.bash(command) == ""


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf STATE",
        "sudo rm -rf STATE",
        "rm -rf STATE/loops/a1",
        "rm -rf HOME/.local",
        "rm -rf HOME/.local/state/*",
        "rm -rf HOME/.local/state/until*",
        "mv HOME/.local/state /tmp/elsewhere",
        "cd STATE && rm -rf loops",
        "cd HOME/.local/state; cd untildone; rm state.json",
        "echo x > STATE/loops/a1/state.json",
        "echo x >> STATE/loops/a1/state.json",
        "echo x >| STATE/loops/a1/state.json",
        "echo x &> STATE/loops/a1/state.json",
        "cat a.json > STATE/loops/a1/state.json",
        "grep x a 2>STATE/x",
        "tee STATE/loops/a1/state.json < a.json",
        "sed -i s/a/b/ STATE/loops/a1/state.json",
        "dd if=/dev/null of=STATE/loops/a1/state.json",
        "python edit.py --file=STATE/loops/a1/state.json",
        "find STATE -name '*.json' -delete",
        "find . -fprint STATE/loops/a1/state.json",
        """awk '{print $1 > "STATE/loops/a1/state.json"}' a.txt""",
        """awk 'END {system("rm -r STATE")}' a.txt""",
        "awk -i inplace '{print $1}' STATE/loops/a1/state.json",
        "sort -o STATE/loops/a1/state.json a.txt",
        "cp a.json STATE/loops/a1/state.json",
        "truncate -s 0 STATE/loops/a1/journal.jsonl",
        "bash -c 'rm -rf STATE'",
        "rm PACKAGE/hooks/entry.py",
        "python PACKAGE/hook UserPromptSubmit claude settings STATE",
        "rm -r PACKAGE/../untildone",
    ],
)
def test_shell_commands_that_write_to_the_state_or_the_program(place: Place, command: str) -> None:
    assert place.bash(command).endswith(f"belongs to untildone: {INSTEAD_STATE}")


@pytest.mark.parametrize(
    "command",
    [
        "cat STATE/loops/a1/state.json",
        "ls -la STATE && du -sh STATE",
        "cat STATE/loops/a1/state.json > copy.json",
        "cp STATE/loops/a1/state.json copy.json",
        "sed -n 1,5p STATE/loops/a1/journal.jsonl | jq .",
        "find STATE -name state.json",
        """awk '$1 > 5 || /a|b/ {print $2 "->" $3}' STATE/loops/a1/journal.jsonl""",
        "grep -r def PACKAGE",
        "cat .untildone/rounds/a1/3/test.log",
        "rm -rf .untildone",
        "rm -rf node_modules build",
        "rm -rf *",
        "mv src lib",
        "cat .claude/settings.json",
        "jq .hooks .claude/settings.json",
        "git add .claude/settings.json && git diff .claude/settings.json",
        "cp .claude/settings.json /tmp/backup.json",
        "echo x > notes/settings.json",
    ],
)
def test_reading_and_working_elsewhere(place: Place, command: str) -> None:
    assert place.bash(command) == ""


@pytest.mark.parametrize(
    "command",
    [
        "echo '{}' > .claude/settings.json",
        "rm .claude/settings.json",
        "sed -i s/a/b/ .claude/settings.local.json",
        "python fix.py .claude/settings.json",
        "cp other.json .claude/settings.json",
    ],
)
def test_shell_commands_that_write_settings(place: Place, command: str) -> None:
    assert place.bash(command).endswith(f"may hold untildone's entries: {INSTEAD_SETTINGS}")


def test_edits_of_the_state_and_the_program(place: Place) -> None:
    inside = place.state / "loops" / "a1" / "state.json"
    link = place.project / "innocent.json"
    link.symlink_to(inside)
    edits = (
        place.call("Write", file_path=str(inside), content="{}"),
        place.call("Edit", file_path=str(inside), old_string="a", new_string="b"),
        place.call("MultiEdit", file_path=str(inside), edits=[]),
        place.call("NotebookEdit", notebook_path=str(inside)),
        place.call("Write", file_path=str(link), content="{}"),
        place.call("Write", file_path=str(place.package / "hooks" / "x.py"), content=""),
        place.call("mcp__files__write_file", path=str(inside), content="{}"),
        place.call("mcp__files__move_file", source=str(inside), destination="/tmp/x"),
    )

    assert [edit.endswith(f"belongs to untildone: {INSTEAD_STATE}") for edit in edits] == [True] * 8


def test_edits_of_the_work(place: Place) -> None:
    edits = (
        place.call("Write", file_path=str(place.project / "untildone.toml"), content="x"),
        place.call("Write", file_path=str(place.project / "untildone" / "a.py"), content="x"),
        place.call("Edit", file_path="relative.py", old_string="a", new_string="b"),
        place.call("Write", file_path=str(place.state) + "-notes.md", content="x"),
        place.call("Write", file_path="\0", content="x"),
        place.call("Write"),
        place.call("mcp__files__read_file", path=str(place.state / "x")),
        place.call("Read", file_path=str(place.state / "x")),
        place.call("Glob", pattern="untildone cancel"),
    )

    assert edits == ("",) * 9


@pytest.mark.parametrize(
    "after",
    [
        pytest.param({**SETTINGS, "hooks": {}}, id="hook removed"),
        pytest.param({**SETTINGS, "disableAllHooks": True}, id="hooks switched off"),
        pytest.param({**SETTINGS, "env": {"UNTILDONE_DISABLE": "1"}}, id="our variable"),
        pytest.param(
            {**SETTINGS, "env": {"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "2"}}, id="the cap lowered"
        ),
    ],
)
def test_settings_written_against_us(place: Place, after: dict[str, object]) -> None:
    refused = place.call("Write", file_path=str(place.settings), content=json.dumps(after))

    assert refused.startswith("refused, because it ")
    assert refused.endswith(f": {INSTEAD_SETTINGS}")


def test_settings_edited_against_us(place: Place) -> None:
    path = str(place.settings)
    edit = {"old_string": '"model": "opus"', "new_string": '"disableAllHooks": true'}

    assert place.call("Edit", file_path=path, **edit).startswith("refused, because it sets")
    assert place.call("MultiEdit", file_path=path, edits=[edit, "x"]).startswith("refused")
    assert place.call("Edit", file_path=".claude/settings.json", **edit).startswith("refused")


def test_other_keys_of_the_settings_may_be_changed(place: Place) -> None:
    path = str(place.settings)
    wider = json.dumps({**SETTINGS, "model": "sonnet", "permissions": {"allow": ["Bash"]}})

    assert place.call("Edit", file_path=path, old_string="opus", new_string="haiku") == ""
    assert (
        place.call("Edit", file_path=path, old_string="o", new_string="o", replace_all=True) == ""
    )
    assert place.call("Write", file_path=path, content=wider) == ""
    new = str(place.project / ".claude" / "settings.local.json")
    assert place.call("Write", file_path=new, content='{"model": "opus"}') == ""


@pytest.mark.parametrize("tool", ["CronCreate", "ScheduleWakeup", "mcp__x__TriggerCreate"])
@pytest.mark.parametrize(
    "prompt",
    ["/untildone:cancel", "/untildone:loop cancel", "stop", "Stop.", " cancel relentless mode "],
)
def test_scheduling_our_verbs(place: Place, tool: str, prompt: str) -> None:
    assert place.call(tool, cron="* * * * *", prompt=prompt) == (
        f"scheduling `{prompt.strip()}` is refused: {INSTEAD_VERB}"
    )


@pytest.mark.parametrize("prompt", ["check the deploy", "stop the server and continue", ""])
def test_other_schedules(place: Place, prompt: str) -> None:
    assert place.call("CronCreate", cron="* * * * *", prompt=prompt) == ""


def test_skills(place: Place) -> None:
    assert place.call("Skill", skill="untildone:cancel") == (
        f"`untildone:cancel` is refused: {INSTEAD_VERB}"
    )
    assert place.call("Skill", skill="untildone:status") == ""
    assert place.call("Skill", command="other:cancel") == ""


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("a b; c", [["a", "b"], ["c"]]),
        ("a 'b; c' \"d e\"", [["a", "b; c", "d e"]]),
        ("a > f 2>&1", [["a", ">", "f", "2", ">&", "1"]]),
        ("X=1 sudo -n env Y=2 a b", [["a", "b"]]),
        ("sh -c 'a; b'", [["sh", "-c", "a; b"], ["-c"], ["a"], ["b"], ["-c", "a"], ["b"]]),
        ("eval a b", [["eval", "a", "b"], ["a"], ["b"], ["a", "b"]]),
        ("sudo -u x untildone y", [["x", "untildone", "y"], ["untildone", "y"]]),
        ('a "$(b c)"', [["a", "$(b c)"], ["b", "c"]]),
        ("a '$(b)' \\$\\(c\\)", [["a", "$(b)", "$(c)"]]),
        ("a $(b", [["a", "$"], ["b"], ["b"]]),
        ("cat <<-'E' > f\n  b\n  E\nc", [["cat", ">", "f"], ["c"]]),
        ("cat <<E\nb", [["cat"]]),
        ("a \\\n b\n\n# c\nd", [["a", "b"], ["d"]]),
    ],
)
def test_a_command_line_taken_apart(command: str, expected: list[list[str]]) -> None:
    assert parse_calls(command) == expected


@pytest.mark.parametrize(
    "part", ["$(", "`", "'", '"', "<<E\n", "sh -c ", "sudo ", "(", "\\", "a=b ", "\n#", "<"]
)
def test_a_hostile_command_costs_little(place: Place, part: str) -> None:
    began = time.monotonic()

    place.bash(part * (100_000 // len(part)))

    # Linear work takes a moment; what backtracks or recurses would take hours.
    assert time.monotonic() - began < 60

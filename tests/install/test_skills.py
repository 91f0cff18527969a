"""What the slash commands say, and that the client shows and obeys them as commands of `init`."""

import re
from pathlib import Path

import pytest

import untildone
from client.harness import Client, command_hooks
from client.model_server import ModelServer
from client.script import Call, bash
from untildone.agents.claude import agent as claude
from untildone.agents.claude.permissions import LOOP_PERMISSIONS
from untildone.commands.agent_calls import is_agent_call
from untildone.hooks.guard import USER_VERBS
from untildone.install.skills import (
    AGENTS,
    LOOP_COMMANDS,
    NAMES,
    PLAN_COMMANDS,
    USER_COMMANDS,
    build_agent,
    build_command,
    build_command_files,
    build_plugin_skills,
)

TRIGGERS = [
    ("build", "build relentlessly"),
    ("build", "keep building until it compiles"),
    ("build", "fix all build errors"),
    ("test", "test relentlessly"),
    ("test", "keep testing until green"),
    ("test", "fix all failing tests"),
    ("test", "make tests pass"),
    ("lint", "lint relentlessly"),
    ("lint", "fix all lint errors"),
    ("lint", "clean up code style"),
    ("fix", "fix all problems"),
    ("loop", "don't stop until …"),
    ("loop", "keep going until …"),
    ("loop", "continue until done"),
]


def front_matter(name: str) -> dict[str, str]:
    opening, fields, _ = build_command(name).split("---\n", 2)
    assert opening == ""
    return dict(line.split(": ", 1) for line in fields.splitlines())


@pytest.mark.parametrize(("name", "trigger"), TRIGGERS)
def test_a_phrase_leads_to_its_skill(name: str, trigger: str) -> None:
    assert f'"{trigger}"' in front_matter(name)["description"]


@pytest.mark.parametrize("name", LOOP_COMMANDS)
def test_a_skill_that_starts_a_loop_says_how_and_permits_the_agent_s_verbs(name: str) -> None:
    fields = front_matter(name)

    assert sorted(fields) == ["allowed-tools", "argument-hint", "description"]
    assert fields["allowed-tools"] == ", ".join(LOOP_PERMISSIONS)
    assert '--rounds N] [--check "COMMAND"]' in fields["argument-hint"]
    assert build_command(name).count("$ARGUMENTS") == 1
    assert f"untildone start --preset {name} --task 'TASK'" in build_command(name)


@pytest.mark.parametrize("name", USER_COMMANDS)
def test_a_verb_of_the_user_is_kept_from_the_model(name: str) -> None:
    fields = front_matter(name)

    assert sorted(fields) == ["argument-hint", "description", "disable-model-invocation"]
    assert fields["disable-model-invocation"] == "true"
    assert f"`untildone {name}`" in build_command(name)


def test_no_permission_is_given_for_a_verb_of_the_user() -> None:
    verbs = [rule.removeprefix("Bash(untildone ").rstrip(":*)") for rule in LOOP_PERMISSIONS]

    assert not USER_VERBS.intersection(verbs)
    assert not {"start", "run", "import", "clean", "plan"}.intersection(verbs)


def test_every_command_that_the_agent_is_told_to_run_is_permitted() -> None:
    """Except those that start something: about these the client asks."""
    package = Path(untildone.__file__).parent
    texts = [*package.glob("install/texts/*.md"), *package.glob("core/[fr]e*.py")]
    text = "".join(file.read_text(encoding="utf-8") for file in texts)
    given = set(re.findall(r"`untildone ([a-z]+(?: (?:show|next)\b)?)", text))

    assert {"check", "show", "met", "blocked"} < given
    needless = USER_VERBS | {"start", "plan", "doctor"}
    assert {verb for verb in given - needless if not is_agent_call(f"untildone {verb}")} == set()


def test_plugin_and_init_carry_the_same_texts() -> None:
    assert list(build_plugin_skills()) == [
        *(f"skills/{name}/SKILL.md" for name in NAMES),
        *(f"agents/{name}.md" for name in AGENTS),
    ]
    assert list(build_command_files(claude)) == [
        *(f"commands/untildone/{name}.md" for name in NAMES),
        *(f"agents/untildone-{name}.md" for name in AGENTS),
    ]
    own = [
        made.replace("name: untildone-", "name: ") for made in build_command_files(claude).values()
    ]
    theirs = [
        made.replace("`untildone:task-", "`untildone-task-")
        for made in build_plugin_skills().values()
    ]
    assert [made.replace("`untildone:plan", "`untildone-plan") for made in theirs] == own


@pytest.mark.parametrize(
    ("files", "prefix"),
    [(build_plugin_skills(), "untildone:"), (build_command_files(claude), "untildone-")],
    ids=["plugin", "init"],
)
def test_a_skill_names_a_subagent_as_the_client_lists_it(
    files: dict[str, str], prefix: str
) -> None:
    text = "\n".join(content for path, content in files.items() if not path.startswith("agents/"))

    named = re.findall(r"subagent `?([\w:-]+)", text)

    assert set(named) == {f"{prefix}{name}" for name in AGENTS}


@pytest.mark.parametrize("name", PLAN_COMMANDS)
def test_a_skill_of_plans_permits_what_touches_the_plan_alone(name: str) -> None:
    fields = front_matter(name)

    assert sorted(fields) == ["allowed-tools", "argument-hint", "description"]
    allowed = fields["allowed-tools"].split(", ")
    assert set(LOOP_PERMISSIONS) < set(allowed)
    assert not [rule for rule in allowed if "plan start" in rule or "set-status" in rule]
    assert build_command(name).count("$ARGUMENTS") == 1


@pytest.mark.parametrize("name", ["task-verifier", "planning-validator"])
def test_a_verifier_has_no_tool_to_edit_with(name: str) -> None:
    fields = dict(
        line.split(": ", 1) for line in build_agent(name, name).split("---\n")[1].splitlines()
    )

    assert fields["tools"] == "Read, Grep, Glob, Bash"


@pytest.mark.parametrize("name", NAMES)
def test_no_placeholder_is_left(name: str) -> None:
    assert re.findall(r"\{\w+\}", build_command(name)) == []


def new_client(folder: Path, server: ModelServer) -> Client:
    client = Client(home=folder / "home", project=folder / "project", server=server)
    for path, content in build_command_files(claude).items():
        target = client.home / ".claude" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content, encoding="utf-8")
    return client


@pytest.mark.client
def test_a_typed_command_reaches_the_hook_raw_and_the_model_whole(tmp_path: Path) -> None:
    line = '/untildone:test mend "it" and $(that) --rounds 3'
    with ModelServer(["done"]) as server:
        client = new_client(tmp_path, server)
        hook = f"cat > '{tmp_path}/prompt.json'"
        client.write_settings(command_hooks(UserPromptSubmit=hook), scope="user")
        client.run(line)

    expected = build_command("test").split("---\n", 2)[2].lstrip().replace("$ARGUMENTS", line[16:])
    assert expected in server.requests[0].texts
    assert '"prompt":"/untildone:test mend \\"it\\"' in tmp_path.joinpath("prompt.json").read_text(
        encoding="utf-8"
    )


@pytest.mark.client
def test_the_agent_may_use_its_verbs_and_not_the_user_s(tmp_path: Path) -> None:
    program = tmp_path / "bin" / "untildone"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\necho "ran $1"\n', encoding="utf-8")
    program.chmod(0o755)
    met = bash("untildone met a --by review --evidence b")
    with ModelServer([met, bash("untildone cancel"), "done"]) as server:
        client = new_client(tmp_path, server)
        client.path = (program.parent,)
        client.run("/untildone:test")

    assert server.reached_model[1:] == (("ran met",), ("This command requires approval",))


@pytest.mark.client
def test_the_model_is_offered_the_starting_skills_and_refused_the_user_s(tmp_path: Path) -> None:
    with ModelServer([Call("Skill", {"skill": "untildone:cancel"}), "done"]) as server:
        new_client(tmp_path, server).run("go on")

    offered = "\n".join(server.requests[0].texts)
    shown = [name for name in NAMES if f"- untildone:{name}: " in offered]
    assert shown == [*LOOP_COMMANDS, *PLAN_COMMANDS, "status"]
    assert "disable-model-invocation" in "".join(server.reached_model[1])

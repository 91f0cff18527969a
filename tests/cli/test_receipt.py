"""Receipts signed on one machine and verified on others: real git, real `ssh-keygen`."""

import base64
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from cli.published_receipt import NOTES, PublishedReceipt, attach
from cli.world import Output, Terminal
from receipts.samples import public
from untildone.receipts.problem import EXIT_CODES, Problem
from world import CHECK, Machine

ROOT = Path(__file__).parents[2]
RANGE = ("--range", "origin/main..HEAD")


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> PublishedReceipt:
    return PublishedReceipt(tmp_path_factory.mktemp("receipts"))


class Reviewer:
    """A clone on a machine that has never seen the loop, and its terminal."""

    def __init__(self, published: PublishedReceipt, clone: Machine, terminal: Terminal) -> None:
        self.published, self.clone, self._terminal = published, clone, terminal

    def run(self, *arguments: str) -> Output:
        environ = {"HOME": str(self.clone.folder), "UNTILDONE_HOME": ""}
        return self._terminal(("receipt", *arguments), environ, self.clone.project)

    def check(self, *arguments: str, key: Path | None = None) -> tuple[int, str]:
        signers = str(key or self.published.signers)
        code, out, _ = self.run("check", "--key", signers, *arguments)
        return code, out


@pytest.fixture
def reviewer(published: PublishedReceipt, tmp_path: Path, terminal: Terminal) -> Reviewer:
    return Reviewer(published, published.clone(tmp_path), terminal)


@pytest.fixture
def author(published: PublishedReceipt, terminal: Terminal) -> Callable[..., Output]:
    def run(*arguments: str) -> Output:
        place = published.author.project
        return terminal(("receipt", *arguments), published.environ, place)

    return run


def code_of(problem: Problem) -> int:
    return EXIT_CODES[problem]


def test_a_pushed_branch_with_its_receipt_passes_elsewhere(reviewer: Reviewer) -> None:
    published = reviewer.published

    code, out = reviewer.check(*RANGE, "--require", CHECK)

    assert (code, out.startswith("valid: loop ")) == (0, True)
    assert f"done, tree {published.tree[:12]}, signed by key@example.org (SHA256:" in out
    assert reviewer.check(key=public(published.key))[0] == 0
    found = json.loads(reviewer.check("--tree", "HEAD", "--json")[1])
    assert (found["valid"], found["loop"], found["git_tree"], found["journal"]) == (
        *(True, published.author.loop, published.tree),
        "elsewhere",
    )


def test_the_receipt_stays_with_the_content(reviewer: Reviewer) -> None:
    clone = reviewer.clone
    clone.git("reset", "--quiet", "--soft", "origin/main")
    clone.git("commit", "--quiet", "--message", "squashed, and told differently")

    assert reviewer.check(*RANGE)[0] == 0


def test_an_edited_tree_needs_another_receipt(reviewer: Reviewer) -> None:
    reviewer.clone.write("done.txt", "and a little more\n")
    reviewer.published.commit(reviewer.clone, "more")
    missing = reviewer.check(*RANGE)
    attach(reviewer.clone, reviewer.published.read_envelope())

    moved = reviewer.check(*RANGE)

    assert (missing[0], moved[0]) == (code_of(Problem.MISSING), code_of(Problem.TREE))
    assert "not valid (missing): no receipt is attached to the tree " in missing[1]
    assert f"it is of the tree {reviewer.published.tree[:12]}, and `HEAD` has" in moved[1]


def test_a_change_without_a_file_needs_none(reviewer: Reviewer) -> None:
    reviewer.clone.git("reset", "--quiet", "--hard", "origin/main")
    reviewer.clone.git("commit", "--quiet", "--allow-empty", "--message", "nothing")

    assert reviewer.check(*RANGE) == (0, "valid: `origin/main..HEAD` changes no file\n")


def rewrite(envelope: dict[str, Any], edit: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    statement = json.loads(base64.b64decode(envelope["payload"]))
    edit(statement["predicate"]["untildone_receipt"])
    return {**envelope, "payload": base64.b64encode(json.dumps(statement).encode()).decode()}


def open_payload(envelope: dict[str, Any]) -> Any:  # noqa: ANN401  any JSON
    return json.loads(base64.b64decode(envelope["payload"]))


@pytest.mark.parametrize(
    ("forge", "problem"),
    [
        pytest.param(
            lambda one: rewrite(one, lambda receipt: receipt.update(task="another")),
            Problem.SIGNATURE,
            id="edited",
        ),
        pytest.param(lambda one: {**one, "signatures": []}, Problem.UNSIGNED, id="stripped"),
        pytest.param(open_payload, Problem.UNSIGNED, id="a bare statement"),
        pytest.param(
            lambda one: {**one, "signatures": [{"sig": "eA=="}]}, Problem.SIGNATURE, id="made up"
        ),
        pytest.param(lambda _: {"done": True}, Problem.UNREADABLE, id="something else"),
    ],
)
def test_a_forged_receipt_fails(
    reviewer: Reviewer, forge: Callable[[dict[str, Any]], object], problem: Problem
) -> None:
    attach(reviewer.clone, forge(reviewer.published.read_envelope()))

    code, out = reviewer.check(*RANGE)

    assert (code, out.partition(":")[0]) == (code_of(problem), f"not valid ({problem})")


def test_a_foreign_key_fails_and_one_good_signature_of_several_is_enough(
    reviewer: Reviewer,
) -> None:
    published = reviewer.published
    envelope = json.loads(published.sign(key=published.foreign))
    attach(reviewer.clone, envelope)

    code, out = reviewer.check(*RANGE)

    assert (code, "which is not allowed" in out) == (code_of(Problem.SIGNATURE), True)
    assert reviewer.check(*RANGE, key=public(published.foreign))[0] == 0
    good = published.read_envelope()
    assert good["payload"] == envelope["payload"]
    both = [*envelope["signatures"], *good["signatures"]]
    attach(reviewer.clone, {**envelope, "signatures": both})
    assert reviewer.check(*RANGE)[0] == 0


def test_a_missing_receipt_fails(
    published: PublishedReceipt, tmp_path: Path, terminal: Terminal
) -> None:
    clone = published.clone(tmp_path, notes=False)

    code, out = Reviewer(published, clone, terminal).check(*RANGE)

    assert (code, out.partition(":")[0]) == (code_of(Problem.MISSING), "not valid (missing)")


def test_what_was_not_done_or_not_checked_fails(reviewer: Reviewer) -> None:
    def end_otherwise(receipt: dict[str, Any]) -> None:
        receipt.update(outcome=None, status="\x1b[2J\u202eenod")

    unchecked = reviewer.check("--require", "make everything")
    statement = open_payload(rewrite(reviewer.published.read_envelope(), end_otherwise))
    attach(reviewer.clone, statement)
    code, out, _ = reviewer.run("check", "--unsigned")

    reason = "`make everything` is not among its green checks"
    assert unchecked == (code_of(Problem.CHECK), f"not valid (check): {reason}\n")
    assert (code, out) == (
        code_of(Problem.OUTCOME),
        "not valid (outcome): its loop is not done: \\x1b[2J\\u202eenod\n",
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param((), "no key is given whose receipts count", id="no key"),
        pytest.param(("--unsigned", "--range", "HEAD"), "`--range` takes two", id="one commit"),
        pytest.param(("--unsigned", "--tree", "gone"), "`gone` is no commit or tree", id="no tree"),
        pytest.param(("--unsigned", "--tree=--all"), "`--all` is no commit", id="an option"),
        pytest.param(
            ("--unsigned", "--range", "gone..HEAD"), "`gone` is no commit or tree", id="no base"
        ),
    ],
)
def test_wrong_use_of_check(reviewer: Reviewer, arguments: tuple[str, ...], message: str) -> None:
    code, _, err = reviewer.run("check", *arguments)

    assert (code, message in err) == (2, True)


def test_unrelated_histories_have_no_range(reviewer: Reviewer) -> None:
    reviewer.clone.git("switch", "--quiet", "--orphan", "other")
    reviewer.clone.git("commit", "--quiet", "--allow-empty", "--message", "other")

    code, _, err = reviewer.run("check", "--unsigned", "--range", "origin/main...")

    assert (code, "have no commit in common" in err) == (2, True)


def test_a_file_is_verified_where_the_loop_is_and_where_it_is_not(
    reviewer: Reviewer, author: Callable[..., Output], tmp_path: Path
) -> None:
    file, signers = tmp_path / "receipt.dsse.json", str(reviewer.published.signers)
    signed = author("sign", "--output", str(file))

    here = author("verify", str(file), "--key", signers)
    elsewhere = reviewer.run("verify", str(file), "--key", signers)

    assert (signed[0], f"written to {file}" in signed[1]) == (0, True)
    assert (here[0], here[1].endswith("its journal is unbroken\n")) == (0, True)
    assert (elsewhere[0], elsewhere[1].endswith("no journal here\n")) == (0, True)
    assert reviewer.run("verify", str(file))[0] == code_of(Problem.SIGNATURE)
    assert reviewer.run("verify", str(file), "--unsigned")[0] == 0
    other = reviewer.run("verify", str(file), "--key", signers, "--tree", "origin/main")
    assert other[0] == code_of(Problem.TREE)
    assert reviewer.run("verify", "./gone.json")[0] == code_of(Problem.MISSING)


def test_a_loop_is_verified_by_its_journal(
    author: Callable[..., Output], published: PublishedReceipt
) -> None:
    code, out, _ = author("verify", published.author.loop)

    assert (code, f"loop {published.author.loop}, done, tree {published.tree[:12]}" in out) == (
        *(0, True),
    )
    assert author("verify", "--tree", "HEAD~1")[0] == code_of(Problem.TREE)
    assert author("verify", "--key", str(published.signers))[0] == 2


def test_what_is_not_committed_yet_is_told(
    author: Callable[..., Output], published: PublishedReceipt
) -> None:
    published.author.git("reset", "--quiet", "--soft", "HEAD~1")
    try:
        code, out, _ = author("verify")
    finally:
        published.author.git("reset", "--quiet", "--soft", "ORIG_HEAD")

    assert (code, out.endswith("; the files here have the first: commit them\n")) == (
        *(code_of(Problem.TREE), True),
    )


@pytest.mark.parametrize(
    ("fields", "problem", "reason"),
    [
        pytest.param({"task": "x"}, Problem.JOURNAL, "differs from the loop's journal in task"),
        pytest.param({"journal_hash": "0" * 64}, Problem.JOURNAL, "does not have the entry"),
        pytest.param({"journal_entries": -1}, Problem.JOURNAL, "does not have the entry"),
        pytest.param({"contract_sha256": "0" * 64}, Problem.CONTRACT, "its contract is not"),
    ],
)
def test_an_edited_receipt_contradicts_the_journal(
    author: Callable[..., Output],
    tmp_path: Path,
    fields: dict[str, Any],
    problem: Problem,
    reason: str,
) -> None:
    receipt = json.loads(author("show", "--json")[1])
    file = tmp_path / "receipt.json"
    file.write_text(json.dumps({**receipt, **fields}), encoding="utf-8")

    code, out, _ = author("verify", str(file), "--unsigned")

    assert (code, reason in out) == (code_of(problem), True)


def test_a_broken_journal_is_neither_verified_nor_signed(
    published: PublishedReceipt, tmp_path: Path, terminal: Terminal
) -> None:
    state = tmp_path / "state"
    shutil.copytree(published.author.state_folder, state)
    (journal,) = state.glob("loops/*/journal.jsonl")
    text = journal.read_text(encoding="utf-8")
    journal.write_text(text.replace('"outcome":"done"', '"outcome":"fine"', 1), encoding="utf-8")
    environ = {**published.environ, "UNTILDONE_HOME": str(state)}

    found = [
        terminal(("receipt", verb, published.author.loop), environ, published.author.project)[0]
        for verb in ("verify", "sign")
    ]

    assert found == [code_of(Problem.JOURNAL)] * 2


def test_it_is_shown_as_text_statement_and_trailer(
    author: Callable[..., Output], published: PublishedReceipt
) -> None:
    text, statement = author("show")[1], json.loads(author("show", "--in-toto")[1])

    assert f"git tree {published.tree[:12]}" in text
    assert ("\x1b" in text, "\\x1b[31m" in text) == (False, True)
    commit = published.author.git("rev-parse", "HEAD")
    assert [subject["digest"] for subject in statement["subject"]] == [
        {"gitTree": published.tree},
        {"gitCommit": commit},
    ]
    trailer = author("show", "--trailer")[1]
    assert trailer.endswith(f" done tree:{published.tree}\n")


def test_an_agent_may_not_sign(
    published: PublishedReceipt, author: Callable[..., Output], tmp_path: Path
) -> None:
    session = published.author.session
    # The client is the parent of this process, and one of its tool calls is in flight.
    session.write_json("session.json", {"process": str(os.getppid())})
    session.write("pre", "\n")
    try:
        code, _, err = author("sign", "--output", str(tmp_path / "x"))
    finally:
        session.remove("pre")
        session.remove("session.json")

    assert (code, "only the user may run `untildone receipt sign`" in err) == (2, True)


def test_a_receipt_of_another_person_is_merged(
    published: PublishedReceipt, reviewer: Reviewer
) -> None:
    clone = reviewer.clone
    attach(clone, {"of": "somebody else"}, "origin/main")
    attach(published.author, {"pushed": "first"}, "HEAD~1")
    published.author.git("push", "--quiet", "origin", NOTES)
    commands = read_blocks("How it travels", "```\n")[1]

    subprocess.run(["sh", "-ec", commands], cwd=clone.project, env=plain(clone), check=True)
    clone.git("push", "--quiet", "origin", NOTES)

    assert reviewer.check(*RANGE)[0] == 0


def plain(machine: Machine) -> dict[str, str]:
    """A machine without untildone: its git and OpenSSH, and the Python of these tests."""
    folder = machine.folder / "bin"
    folder.mkdir(exist_ok=True)
    python = folder / "python3"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    return {
        "PATH": f"{folder}:/usr/bin:/bin",
        "HOME": str(machine.folder),
        **{
            f"GIT_{who}_{what}": "r@x"
            for who in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        },
    }


def read_blocks(heading: str, fence: str = "```sh\n") -> list[str]:
    """The commands below a heading of the page, as they stand there."""
    page = ROOT.joinpath("docs", "receipts.md").read_text(encoding="utf-8")
    (section,) = re.findall(rf"^## {heading}\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    found = re.findall(rf"^( *){fence}(.*?)^ *```$", section, re.MULTILINE | re.DOTALL)
    return [re.sub(rf"^{indent}", "", text, flags=re.MULTILINE) for indent, text in found]


def follow_steps(published: PublishedReceipt, clone: Machine) -> subprocess.CompletedProcess[str]:
    steps = read_blocks("Verify without untildone")
    assert (len(steps), shutil.which("untildone", path=plain(clone)["PATH"])) == (6, None)
    shutil.copy(published.signers, clone.project)
    shutil.copy(ROOT / "src/untildone/schemas/receipt-statement.schema.json", clone.project)
    return subprocess.run(
        ["sh", "-ec", "\n".join(steps)],
        cwd=clone.project,
        env=plain(clone),
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_documented_steps_verify_it_without_untildone(
    published: PublishedReceipt, tmp_path: Path, author: Callable[..., Output]
) -> None:
    done = follow_steps(published, published.clone(tmp_path, notes=False))

    assert (done.returncode, done.stderr) == (0, "")
    good, result, digest = done.stdout.splitlines()
    assert good.startswith('Good "untildone-receipt" signature for key@example.org with')
    assert result == "PASSED check"
    assert digest in author("show", "--trailer")[1]


def test_the_documented_steps_refuse_another_tree(
    published: PublishedReceipt, tmp_path: Path
) -> None:
    clone = published.clone(tmp_path)
    clone.write("done.txt", "more\n")
    published.commit(clone, "more")
    attach(clone, published.read_envelope())
    clone.git("remote", "set-url", "origin", str(clone.project))

    done = follow_steps(published, clone)

    assert (done.returncode, f"< {published.tree}" in done.stdout) == (1, True)


def read_jobs() -> dict[str, list[str]]:
    """The lines of the documented jobs that look at the receipt, without installing anything."""
    page = ROOT.joinpath("docs", "ci.md").read_text(encoding="utf-8")
    blocks = [yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)]
    (github,) = (block["jobs"]["receipt"] for block in blocks if "receipt" in block.get("jobs", ()))
    (gitlab,) = (block["receipt"] for block in blocks if "receipt" in block)
    steps = [step["run"] for step in github["steps"] if "env" in step]
    return {"GitHub": steps, "GitLab": gitlab["script"][:-1]}


@pytest.mark.parametrize("place", ["GitHub", "GitLab"])
@pytest.mark.parametrize("notes", [True, False])
def test_the_documented_jobs_demand_a_receipt(
    published: PublishedReceipt, tmp_path: Path, place: str, *, notes: bool
) -> None:
    clone = published.clone(tmp_path, notes=False)
    if not notes:
        clone.write("done.txt", "edited\n")
        published.commit(clone, "edited")
    environ = {
        **{"HOME": str(tmp_path), "PATH": published.environ["PATH"], "BASE": "main"},
        **{"SOURCE": str(published.origin), "CI_COMMIT_SHA": clone.git("rev-parse", "HEAD")},
    }
    lines = "\n".join(read_jobs()[place]).replace("npm test", CHECK)

    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", lines], cwd=clone.project, env=environ, check=False
    )

    assert done.returncode == (0 if notes else code_of(Problem.MISSING))

"""Which configuration counts on a worker: that which the task's submitter or its owner trusts."""

import hashlib

import pytest

from untildone.config.proposals import load_proposals
from untildone.engine.project_checks import describe_untrusted, load_trusted_configuration
from untildone.runs.queue.configuration_trust import (
    Application,
    TrustRules,
    apply_trust,
    find_vouched_digest,
)
from untildone.store.trusted_files import forget_trust_below, record_trust
from world import World

TEXT = '[checks.test]\ncommand = "make test"\n'
DIGEST = hashlib.sha256(TEXT.encode()).hexdigest()


def trust(world: World) -> None:
    for file in load_proposals(world.project):
        record_trust(world.state_folder, file.path, sha256=file.sha256, text=file.text)


@pytest.mark.parametrize(
    ("address", "is_vouched"),
    [
        ("https://host/app.git", True),
        ("/srv/app.git", True),
        ("file:///srv/app.git", True),
        ("https://host/other.git", False),
        (".", True),
    ],
)
def test_trust_is_vouched_for_the_repository_where_the_user_is(
    world: World, address: str, is_vouched: bool
) -> None:
    world.git("init", "-q")
    world.git("remote", "add", "origin", "https://host/app.git")
    world.git("remote", "add", "backup", "file:///srv/app.git")
    world.write("untildone.toml", TEXT)
    trust(world)
    repository = str(world.project) if address == "." else address
    (world.project / "sub").mkdir()

    found = find_vouched_digest(world.context, repository, world.project / "sub")
    assert found == ((DIGEST, "") if is_vouched else ("", ""))


def test_what_the_user_does_not_trust_is_not_vouched_for(world: World) -> None:
    world.git("init", "-q")
    here = (world.context, str(world.project), world.project)
    assert find_vouched_digest(*here) == ("", "")
    world.write("untildone.toml", TEXT)
    trust(world)
    world.write("untildone.toml", TEXT + "# changed\n")
    assert find_vouched_digest(*here)[0] == ""
    assert "is not trusted" in find_vouched_digest(*here)[1]
    world.write("untildone.toml", "checks = 1")
    digest, reason = find_vouched_digest(*here)
    assert (digest, bool(reason)) == ("", True)


@pytest.mark.parametrize(
    ("vouched", "rules", "used", "note"),
    [
        (DIGEST, TrustRules(), True, "`untildone.toml` counts: who added the task trusts"),
        ("", TrustRules(own=(DIGEST,)), True, "`untildone.toml` counts: this worker's owner"),
        ("", TrustRules(), False, "who added the task does not trust it; `untildone trust`"),
        ("0" * 64, TrustRules(), False, f"it has sha256 {DIGEST}, and who added the task trusts 0"),
        (DIGEST, TrustRules(takes_submitters=False), False, f"owner does: `--trust {DIGEST}`"),
    ],
)
def test_the_configuration_of_the_base_counts_only_by_its_hash(
    world: World, vouched: str, rules: TrustRules, used: bool, note: str
) -> None:
    world.write("untildone.toml", TEXT)
    applied = apply_trust(world.context, world.project, vouched=vouched, rules=rules)

    assert applied.is_used == used
    assert note in applied.note
    assert bool(load_trusted_configuration(world.context, world.project).checks) == used


def test_a_file_that_an_agent_changes_counts_no_more(world: World) -> None:
    path = world.write("untildone.toml", TEXT)
    apply_trust(world.context, world.project, vouched=DIGEST, rules=TrustRules())
    path.write_text(TEXT.replace("make test", "true"), encoding="utf-8")
    assert load_trusted_configuration(world.context, world.project).checks == {}

    path.write_text(TEXT, encoding="utf-8")
    (world.state_folder / "trust" / "broken.json").write_text("[", encoding="utf-8")
    forget_trust_below(world.state_folder, world.project.resolve())
    assert describe_untrusted(world.context, load_proposals(world.project))


def test_a_link_does_not_make_another_file_of_the_machine_trusted(world: World) -> None:
    other = world.folder / "other.toml"
    other.write_text(TEXT, encoding="utf-8")
    (world.project / "untildone.toml").symlink_to(other)
    applied = apply_trust(world.context, world.project, vouched=DIGEST, rules=TrustRules())

    assert "is a link out of the repository" in applied.note
    assert not (world.state_folder / "trust").exists()


@pytest.mark.parametrize(("text", "used"), [("", True), ("checks = 1", False)])
def test_nothing_is_said_of_a_configuration_that_is_empty_or_broken(
    world: World, text: str, used: bool
) -> None:
    world.write("untildone.toml", text)
    applied = apply_trust(world.context, world.project, vouched="", rules=TrustRules())
    assert applied == Application(is_used=used)

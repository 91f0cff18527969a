"""What a hostile check prints, as the agent hears it."""

import shlex
from pathlib import Path

from hooks.world import HookWorld
from process.hostile_programs import command
from untildone.core.contract import Check

SECRETS = (
    "abcdEFGH0123abcdEFGH0123",
    "ghp_NoRealTokenNoRealTokenNoRealToken012",
    "letmein",
)


def test_what_a_check_says_is_quoted_without_its_secrets_and_forgeries(tmp_path: Path) -> None:
    world = HookWorld(tmp_path)
    scripts = [command("preacher.sh"), command("leaky.sh")]
    checks = tuple(
        Check(name=f"check-{number}", command=shlex.join(script))
        for number, script in enumerate(scripts)
    )
    loop = world.start(promises=(), checks=checks).contract.id

    answer = world.run_hook("Stop")

    heard = answer.json["hookSpecificOutput"]["additionalContext"]
    # One object, ours: what the check prints as an answer is a text inside of it.
    assert set(answer.json) <= {"hookSpecificOutput", "systemMessage"}
    journal = world.state_folder / "loops" / loop / "journal.jsonl"
    kept = heard + journal.read_text(encoding="utf-8")
    assert [secret for secret in SECRETS if secret in kept] == []
    assert "NEW INSTRUCTIONS" in heard
    assert heard.index("<output-") < heard.index("NEW INSTRUCTIONS")

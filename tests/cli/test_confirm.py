"""A check whose affected tests confirm it, from the configuration to the receipt."""

import json
import sys

from cli.world import CommandLine
from shop import DONE_SIGNAL, FIXED, SHOP
from snippets import snippet


def test_the_installed_hooks_confirm_by_affected_tests_only(cli: CommandLine) -> None:
    cli.write_all({**SHOP, "tests/test_other.py": "def test_other(): pass\n"})
    cli.write(
        "untildone.toml",
        snippet(f"""
            [checks.test]
            command = "{sys.executable} -m pytest -q -p no:cacheprovider"
            confirm = "affected"
        """),
    )
    cli.run("trust", "--yes")
    cli.run("init")
    cli.event("SessionStart", source="startup")
    cli.start("--preset", "test")
    cli.write("shop.py", FIXED)

    cli.event("Stop", last_assistant_message=DONE_SIGNAL)

    receipt = json.loads(cli.read(".untildone/receipt.json"))
    assert receipt["outcome"] == "done"
    assert (
        "`test` was confirmed by its affected tests only (2 of 3), as configured"
        in receipt["proved"]
    )

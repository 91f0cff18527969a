"""The diagnostic loop: counts decide, in the place that was named, with the real client."""

from pathlib import Path

import pytest

from client.script import Call, Step
from client.world import ClientWorld
from endings import RECEIPT, hide_effort

pytestmark = pytest.mark.client

COMMAND = '/untildone:fix "Clear the services" --zero-warnings @src/services/ --max-iterations 5'
# An error by ruff's E and F, a warning by all else.
ERROR = "import os\n"
WARNING = "def total(prices=[]):\n    return sum(prices)\n"


class Shop(ClientWorld):
    """A project whose linter complains in two places, of which the user named one."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.write("ruff.toml", 'lint.select = ["E", "F", "B"]\n')
        self.cart = self.project / "src" / "services" / "cart.py"
        self.cart.parent.mkdir(parents=True)
        self.cart.write_text(f"{ERROR}\n\n{WARNING}", encoding="utf-8")
        self.project.joinpath("src", "other.py").write_text(ERROR, encoding="utf-8")

    def write_call(self, text: str) -> Call:
        return Call("Write", {"file_path": str(self.cart), "content": text})


def test_the_counts_of_the_target_decide(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    work: list[Step] = [
        Call("Read", {"file_path": str(shop.cart)}),
        shop.write_call(WARNING),
        "Done.",
        shop.write_call("def total(prices):\n    return sum(prices)\n"),
        "<jikime>DONE</jikime>",
    ]

    result, _ = shop.run(work, COMMAND)

    assert shop.standing("task", "max_rounds") == ("finished", "done", 2, "Clear the services", 5)
    held, done = result.notices[-2:]
    assert held == (
        "Stop says: untildone: held, round 1 of 5, unmet: lint red, 1 finding |"
        " now: 1 warning, progress: 50 %"
    )
    assert hide_effort(done) == (
        "Stop says: untildone: done after 2 rounds: lint green | from red to green: lint"
        " | initial: 1 error, 1 warning;"
        f" final: 0 errors, 0 warnings; improvement: 100 % | {RECEIPT}"
    )
    receipt = shop.project.joinpath(".untildone", "receipt.md").read_text(encoding="utf-8")
    assert "- counted: zero-errors, zero-warnings\n- only findings in: src/services\n" in receipt
    assert "(not counted: 1 finding outside of the target)" in receipt
    touched = "USD; fixed 1; touched src/services/cart.py\n"
    assert f"- round 1: held; lint red, 1 warning; 0.00 {touched}" in receipt
    assert f"- round 2: done; lint green; 0.00 {touched}" in receipt

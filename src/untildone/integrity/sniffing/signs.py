"""Signs: places in product code that look at the tests instead of doing the task.

`if (process.env.JEST_WORKER_ID)` is the sign `asks`. Most signs are found by rules that are data.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from msgspec import Struct

from untildone.core.evidence import ConcernKind
from untildone.syntax.languages import language_of
from untildone.syntax.rules import Rule, find_matches, load_rules, read_words
from untildone.worktree.contents import Tree

RULES = Path(__file__).parent / "rules"
SignName = Literal["asks", "reads", "exits", "ends", "patches", "equal", "near", "prints", "hides"]
# By the name of a sign: the kind of its concern, and what the code does.
SIGNS: dict[SignName, tuple[ConcernKind, str]] = {
    "asks": (ConcernKind.SNIFFING, "asks whether it is under test"),
    "reads": (ConcernKind.SNIFFING, "turns to the files of the tests"),
    "exits": (ConcernKind.RUNNER, "ends the program with success when it is loaded"),
    "ends": (ConcernKind.RUNNER, "ends the program past its runner"),
    "patches": (ConcernKind.RUNNER, "changes what the tests judge with"),
    "equal": (ConcernKind.ALWAYS_EQUAL, "equals whatever it is compared with"),
    "near": (ConcernKind.ALWAYS_EQUAL, "equals what is only near to it"),
    "prints": (ConcernKind.RUNNER, "prints what a test runner would say"),
    "hides": (ConcernKind.SNIFFING, "runs code that cannot be read"),
}


class SniffingRule(Rule, frozen=True, kw_only=True):
    sign: SignName


class Sign(Struct, frozen=True):
    name: SignName
    # The source of the place.
    text: str
    line: int

    @property
    def kind(self) -> ConcernKind:
        return SIGNS[self.name][0]

    @property
    def because(self) -> str:
        return SIGNS[self.name][1]

    @property
    def key(self) -> tuple[str, str]:
        """What two signs have in common if the same code stands at another place."""
        return self.name, "".join(self.text.split())


def find_rule_signs(tree: Tree, path: str) -> Iterator[Sign]:
    """Yield the signs that the rules of the file's language find."""
    rules = load_rules(RULES, language_of(path), SniffingRule)
    for rule, node in find_matches(tree, path, rules):
        yield Sign(rule.sign, node.text(), node.range().start.line + 1)


def is_word(name: str, text: str) -> bool:
    """Say whether the text is what `rules/words.yml` describes under the name.

    `is_word("runner-variable", "PYTEST_CURRENT_TEST")` is true.
    """
    return re.search(read_words(RULES)[name]["regex"], text) is not None

"""Questions as the user reads them, with a few lines of each change."""

from msgspec.structs import replace

from untildone.core.concerns import make_concern
from untildone.core.evidence import ConcernKind
from untildone.core.questions import OpenQuestion, list_questions
from untildone.report.question_text import format_questions

DIFF = """\
--- a.py in the baseline
+++ a.py now
@@ -1,3 +1,3 @@
-import os
+import sys
 x
@@ -9,3 +9,3 @@ def test_a
-    assert f(test_a) == 1
+    assert f(test_a) == 2
"""


def ask(*kinds: ConcernKind) -> list[OpenQuestion]:
    concerns = (make_concern(kind, "a.py", "test_a", reason="changed") for kind in kinds)
    asked = list_questions(concerns)
    return [OpenQuestion(number=number, question=each) for number, each in enumerate(asked, 1)]


def test_the_diff_is_of_the_lines_that_the_question_is_about() -> None:
    lines = format_questions(ask(ConcernKind.EDIT_TEST), {"a.py": DIFF}, command="`approve`")

    assert lines == [
        "1 test changed: changed. Intended? `approve`, or undo it.",
        "  a.py",
        "  -    assert f(test_a) == 1",
        "  +    assert f(test_a) == 2",
    ]


def test_the_diff_begins_with_the_part_that_a_long_question_shows() -> None:
    rows = "".join(f"-    row {number}\n" for number in range(20))
    diff = f"{DIFF}@@ -20,20 +20,1 @@\n{rows}-    the price of a ticket\n+    the fare\n"
    concern = make_concern(ConcernKind.EDIT_TEST, "a.py", "test_b", reason="changed")
    asked = list_questions([replace(concern, old="the price of…", new="the fare")])

    lines = format_questions(
        [OpenQuestion(number=1, question=asked[0])], {"a.py": diff}, command="`approve`"
    )

    assert lines[1:] == ["  a.py", "  -    the price of a ticket", "  +    the fare"]


def test_the_diff_shows_both_values_also_beside_a_longer_change() -> None:
    removed = "-def test_adults():\n-    assert fare(30) == 12\n-\n-\n"
    diff = f"@@ -1,9 +1,4 @@\n{removed}-    assert fare(15) == 6\n+    assert fare(15) == 12\n"
    concern = make_concern(ConcernKind.EDIT_EXPECTED, "a.py", "test_youths", reason="changed")
    asked = list_questions([replace(concern, old="6", new="12")])

    lines = format_questions(
        [OpenQuestion(number=1, question=asked[0])], {"a.py": diff}, command="`approve`"
    )

    assert lines[1:] == ["  a.py", "  -    assert fare(15) == 6", "  +    assert fare(15) == 12"]


def test_a_change_without_a_test_offers_another_way_out() -> None:
    assert format_questions(ask(ConcernKind.PROOF), {}, command="/untildone:approve") == [
        "changed. Accept it? /untildone:approve, or have a test added."
    ]


def test_several_questions_are_numbered_and_their_diffs_bounded() -> None:
    lines = format_questions(ask(*ConcernKind), {"a.py": DIFF}, command="/untildone:approve")

    assert lines[0] == (
        "15 questions. Intended? /untildone:approve 1 (or another number, or --all), or undo it."
    )
    assert lines[-1] == "10 more questions: `untildone show`"
    assert sum(line.startswith("   ") for line in lines) == 12


def test_a_file_that_did_not_change_has_no_diff() -> None:
    lines = format_questions(ask(ConcernKind.EDIT_TEST), {"a.py": "--- a\n"}, command="x")

    assert lines[1:] == []

"""A client that records nothing: each function has an answer that claims nothing."""

from untildone.agents import defaults


def test_nothing_is_known() -> None:
    assert not defaults.is_headless(("client", "-p"))
    assert defaults.find_untrusted_hooks(("f",), {}, "", "") == ()
    assert defaults.parse_usage(b"{}") is None
    assert defaults.find_subagents_folder("t") == ""
    assert defaults.find_failure("t") == ""
    assert defaults.find_message("t") == ""
    assert defaults.list_todo_paths("s", {}) == ()
    assert defaults.parse_todo_items([]) is None
    assert defaults.list_queued_input("t") == ()
    assert not defaults.was_interrupted("t")
    assert not defaults.was_stop_interrupted("t")


def test_a_command_is_markdown_with_front_matter() -> None:
    assert defaults.format_command("Tests.", "do\n") == "---\ndescription: Tests.\n---\ndo\n"

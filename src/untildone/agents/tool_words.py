"""Tool calls of Gemini CLI, and of Qwen Code that grew out of it, in the words of all hooks. Lean.

`run_shell_command` is `Bash`, `write_file` is `Write`, `replace` and `edit` are `Edit`; the fields
of their inputs have the same names already.
"""

_TOOLS = {
    "run_shell_command": "Bash",
    "write_file": "Write",
    "replace": "Edit",
    "edit": "Edit",
    "todo_write": "TodoWrite",
    # Qwen Code offers our commands to its model as skills.
    "skill": "Skill",
}


def translate_call(payload: dict[str, object]) -> dict[str, object]:
    """Return the payload with the tool's name and response in our words; others as they are."""
    if "tool_name" not in payload:
        return payload
    name = payload["tool_name"]
    translated = {**payload, "tool_name": _TOOLS.get(str(name), name)}
    response = payload.get("tool_response")
    if isinstance(response, dict):
        translated["tool_response"] = _translate_response(response)
    return translated


def _translate_response(response: dict[str, object]) -> dict[str, object]:
    """Return what the tool printed, or the file that it wrote with its earlier text."""
    display = response.get("returnDisplay")
    if not isinstance(display, dict):
        return {"stdout": display if isinstance(display, str) else response.get("llmContent", "")}
    if "filePath" not in display:
        return {"stdout": display.get("output", response.get("llmContent", ""))}
    edited = {"filePath": display["filePath"], "originalFile": display.get("originalContent")}
    return {**edited, "originalFile": None, "type": "create"} if _is_new(display) else edited


def _is_new(display: dict[str, object]) -> bool:
    return display.get("isNewFile") is True

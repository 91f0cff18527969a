"""The supported agents: one package each, which only translates between its client and us."""

# Each has a package of this name; `hooks.py` in it is on every hook's path and stays lean.
NAMES = ("claude", "codex", "gemini", "qwen", "copilot", "cursor", "opencode")
# Agents without hooks that are named together with their program, as in `acp:gemini --acp`.
COMMAND_AGENTS = ("acp",)
# The variable by which our hook lines tell the client's process id, where the client does not.
CLIENT_PROCESS = "UNTILDONE_CLIENT_PID"

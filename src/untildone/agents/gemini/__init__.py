"""Gemini CLI: an AfterAgent hook that answers `{"decision": "block"}`; time limits in ms."""

"""Codex: a Stop hook that answers `{"decision": "block"}`; unknown keys make the hook fail."""

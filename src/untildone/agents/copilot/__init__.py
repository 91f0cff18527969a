"""GitHub Copilot CLI: an agentStop hook that answers `{"decision": "block"}`."""

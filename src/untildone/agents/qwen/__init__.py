"""Qwen Code: a Stop hook that answers `{"decision": "block"}`; `continue: false` holds too."""

"""Cursor: a stop hook that answers `{"followup_message": …}`; only by its documentation."""

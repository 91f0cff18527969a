"""Edits of JSON as text: only the touched place changes, everything else keeps its bytes."""

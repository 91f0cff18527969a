"""JSON edited as text: only the touched place changes, everything else keeps its bytes."""

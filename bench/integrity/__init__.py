"""Changes that fake completion and honest ones beside them, judged by the real commands."""

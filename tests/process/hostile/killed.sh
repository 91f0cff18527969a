# Dies as if memory had run out.
kill -9 $$

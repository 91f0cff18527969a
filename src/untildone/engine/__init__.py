"""One event handled from payload to answer: stop, prompt, session, start, verbs."""

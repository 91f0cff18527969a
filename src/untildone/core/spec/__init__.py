"""Rules of loops that start from a spec: rubric, gates, workflow, breakers, trust."""

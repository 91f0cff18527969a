"""The task of each preset where the user names none."""

DEFAULT_TASKS = {
    "build": "Make the build pass: find what breaks it and fix the code.",
    "test": "Make every test pass by mending the code, not the tests.",
    "lint": "Clear every finding of the linters and formatters; keep what the code does.",
    "ship": "Make build, tests and linters pass.",
    "fix": "Clear every error the project's own tools report.",
    "loop": "Finish the work.",
}

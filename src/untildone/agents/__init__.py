"""The supported agents: one package each, which only translates between its client and us."""

# Each has a package of this name; `hooks.py` in it is on every hook's path and stays lean.
NAMES = ("claude",)

"""The one table of programming languages, by the suffixes of their files: `a.mjs` is javascript."""

from pathlib import PurePosixPath

_SUFFIXES = {
    "python": ("py", "pyi"),
    "javascript": ("js", "cjs", "mjs", "jsx"),
    "typescript": ("ts", "cts", "mts"),
    "tsx": ("tsx",),
    "go": ("go",),
    "rust": ("rs",),
    "java": ("java",),
    "kotlin": ("kt", "kts"),
    "c": ("c", "h"),
    "cpp": ("cc", "cpp", "cxx", "hh", "hpp"),
    "csharp": ("cs",),
    "bash": ("sh", "bash", "zsh", "ksh", "bats"),
    "yaml": ("yml", "yaml"),
    "ruby": ("rb",),
    "php": ("php",),
    "scala": ("scala",),
    "swift": ("swift",),
    "css": ("css",),
    "lua": ("lua",),
    "elixir": ("ex", "exs"),
    "haskell": ("hs",),
    "solidity": ("sol",),
    "html": ("html",),
}
_BY_SUFFIX = {f".{suffix}": name for name, suffixes in _SUFFIXES.items() for suffix in suffixes}
_SHELLS = ("sh", "bash", "dash", "ksh", "zsh")
# Languages whose tests `syntax.nodes` can read.
_TESTED = frozenset(("python", "go", "rust", "java", "javascript", "typescript", "tsx"))


def language_of(path: str, text: str = "") -> str:
    """Return the language by the suffix, else by the `#!` line; empty if no parser knows it."""
    language = _BY_SUFFIX.get(PurePosixPath(path).suffix.lower(), "")
    if language or not text.startswith("#!"):
        return language
    # #!/usr/bin/env python3
    program = text.partition("\n")[0].split("/")[-1].split()[-1]
    if program in _SHELLS:
        return "bash"
    return "python" if program.startswith("python") else ""


def language_of_tests(path: str) -> str:
    """Return the language, empty where the tests of the file cannot be read."""
    language = language_of(path)
    return language if language in _TESTED else ""

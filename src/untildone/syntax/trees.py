"""Source text as a syntax tree, for every language that a parser is at hand for."""

from collections.abc import Iterable, Iterator

from ast_grep_py import SgNode, SgRoot

_LANGUAGES = {
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
_BY_SUFFIX = {suffix: name for name, suffixes in _LANGUAGES.items() for suffix in suffixes}
_SHELLS = ("sh", "bash", "dash", "ksh", "zsh")


def language(path: str, text: str = "") -> str:
    """By the name, else by the first line; empty if no parser knows it."""
    known = _BY_SUFFIX.get(path.rpartition("/")[2].rpartition(".")[2].lower(), "")
    if known or not text.startswith("#!"):
        return known
    program = text.partition("\n")[0].split("/")[-1].split()[-1]
    if program in _SHELLS:
        return "bash"
    return "python" if program.startswith("python") else ""


def root(text: str, spoken: str) -> SgNode:
    return SgRoot(text, spoken).root()


def nodes(text: str, spoken: str, kinds: Iterable[str]) -> Iterator[SgNode]:
    top = root(text, spoken)
    for kind in kinds:
        yield from top.find_all(kind=kind)

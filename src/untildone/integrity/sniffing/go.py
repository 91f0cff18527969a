"""Rules for Go."""

from untildone.integrity.sniffing.rule import Rule
from untildone.integrity.sniffing.signs import (
    ASKS,
    BUILD_VARIABLE,
    ENDS,
    EQUAL,
    EXITS,
    PATCHES,
    PRINTS,
    READS,
    RUNNER_VARIABLE,
    SUCCESS,
)

_CARRIER = r"(?i)test|mock|fixture|helper|stub"
_STRINGS = ("interpreted_string_literal", "raw_string_literal")
_EXIT = r"^(os|syscall)\.Exit\(0\)$"

RULES = (
    Rule(
        because=ASKS,
        kinds=("call_expression",),
        text=r"^testing\.(Testing|Verbose|CoverMode|Short)\(\)"
        rf"|^(os|syscall)\.(Getenv|LookupEnv)\(\"({RUNNER_VARIABLE.pattern}|{BUILD_VARIABLE.pattern})",
    ),
    Rule(
        because=ASKS, kinds=_STRINGS, text=r"^[\"`](-{0,2}test\.\w*|(\.exe)?\.test(\.exe)?)[\"`]$"
    ),
    Rule(
        because=ASKS,
        kinds=("call_expression", "binary_expression"),
        text=r"^[^{}]*(os\.Args|os\.Executable|debug\.ReadBuildInfo)[^{}]*[\"`][^\"`]*test",
    ),
    Rule(
        because=ASKS,
        kinds=("call_expression",),
        text=r"^(runtime\.(Callers?|CallersFrames|Stack|FuncForPC)|debug\.(Stack|PrintStack))\(",
        within=r"(?s)^func\b.*[\"`][^\"`]*([tT]est)[^\"`]*[\"`]",
    ),
    Rule(
        because=ASKS,
        kinds=("import_spec",),
        text=r"^([\w.]+\s+)?\"testing\"$",
        unless=_CARRIER,
    ),
    Rule(because=EXITS, kinds=("call_expression",), text=_EXIT, file=r"(?m)^package (?!main\b)"),
    Rule(because=EXITS, kinds=("call_expression",), text=_EXIT, within=r"^func init\("),
    Rule(
        because=EXITS,
        kinds=("call_expression",),
        text=_EXIT,
        outside=("function_declaration", "method_declaration"),
    ),
    Rule(
        because=ENDS,
        kinds=("call_expression",),
        text=r"^(syscall|unix)\.(Kill\(.*Getpid|RawSyscall\(.*SYS_EXIT|Syscall\(.*SYS_EXIT)",
    ),
    Rule(because=PATCHES, kinds=("comment",), text=r"^//go:linkname\b"),
    Rule(
        because=EQUAL,
        kinds=("method_declaration",),
        text=r"(?s)^func \([^)]*\) (Equals?\(.*\{\s*return true\s*\}"
        r"|(Cmp|Compare)\(.*\{\s*return 0\s*\})$",
    ),
    Rule(
        because=READS,
        kinds=_STRINGS,
        text=r"_test\.go|(^[\"`]|/)testdata(/|[\"`]$)",
        file=r"\b(os\.(ReadFile|Open|ReadDir|WriteFile|DirFS)|filepath\.(Glob|Walk)|ioutil\.|parser\.Parse)",
    ),
    Rule(because=READS, kinds=("comment",), text=r"^//go:embed\b.*(_test\.go|testdata)"),
    Rule(
        because=PRINTS,
        kinds=("interpreted_string_literal_content", "raw_string_literal_content", *_STRINGS),
        text=f'(?im){SUCCESS.pattern}|^["`]?(PASS|ok  \\t).*$',
        within=r"^(fmt\.F?[pP]rint|os\.Stdout|print|log\.Print)",
    ),
)

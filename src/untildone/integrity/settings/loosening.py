"""Which way a setting was moved: the table of keys, and what makes each of them looser."""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from untildone.integrity.settings.cargo import milder_lint, shadowing_alias, turned_false_of_old
from untildone.integrity.settings.eslint import fewer_linted, milder_rule, unheard_of
from untildone.integrity.settings.lists import (
    Files,
    Values,
    fewer_members,
    fewer_names,
    fewer_paths,
    fewer_product,
    fewer_rules,
    fewer_tests,
    more_paths,
    more_product,
    more_rules,
    more_tests,
    narrower_options,
)
from untildone.integrity.settings.values import (
    changed_at_all,
    higher,
    lower,
    milder,
    switched_off,
    switched_on,
    turned_false,
)

# Told apart from "set to nothing": the key is not there.
Before: TypeAlias = Values | None


class Place(NamedTuple):
    """Where a setting stands: its folder and the tree's files, the other settings now and then."""

    files: Files
    beside: Mapping[str, Values]
    start: Mapping[str, Values] = MappingProxyType({})


Direction: TypeAlias = Callable[[str, Before, Before, Place], bool]

# About what is shipped, not about what is checked.
_UNRELATED = re.compile(
    r"(setuptools|poetry|hatch|pdm|flit|maturin|scikit-build|package(?!\.(auto\w+|build)$)|project|build-system|publishConfig"
    r"|dependencies|(dev|peer|optional)Dependencies|dev-dependencies|build-dependencies|dependency-groups"
    r"|uv|engines|bin(?!\.[^.]+\.(test|doctest|harness)$)|exports|imports|files|version|name|description|keywords|author|license|repository"
    r"|homepage|bugs|main|module|types|type|private|packageManager|browserslist|black|isort|overrides"
    r"|resolutions|workspace\.(dependencies|package|resolver)|metadata|options|options\..*|features"
    r"|profile\.(release|dev))(\.|$)",
    re.IGNORECASE,
)


def _unrelated(_key: str, _old: Before, _new: Before, _place: Place) -> bool:
    return False


def _rows(*rows: tuple[str, Direction]) -> tuple[tuple[re.Pattern[str], Direction], ...]:
    return tuple(
        (re.compile(rf"(?:^|.*[.:])(?:{keys})$", re.IGNORECASE), how) for keys, how in rows
    )


_DIRECTIONS = _rows(
    (r"prettier\.requirePragma|rustfmt\.(disable_all_formatting|skip_children)", switched_on),
    # How code is to look, and what it is compiled to.
    (
        r"prettier\.(?!overrides|plugins).+|rustfmt\.(?!ignore).+"
        r"|gomod\.(go|toolchain|module|require|tool|exclude|retract|use)"
        r"|tsconfig\.compilerOptions\.(lib|target|module|module(Resolution|Detection)|jsx\w*|types"
        r"|esModuleInterop|allowSyntheticDefaultImports|resolveJsonModule|declaration\w*|\w*sourceMap"
        r"|outDir|rootDirs?|composite|incremental|tsBuildInfoFile|importHelpers|downlevelIteration"
        r"|experimentalDecorators|emitDecoratorMetadata|useDefineForClassFields|isolatedModules"
        r"|allowImportingTsExtensions|rewriteRelativeImportExtensions|emitDeclarationOnly|removeComments"
        r"|newLine|inlineSources|stripInternal|allowJs|customConditions)",
        _unrelated,
    ),
    # How a report looks, and whether the project is installed first.
    (
        r"(report|html|coverage)\.(skip[-_]?(covered|empty|full)|show_(missing|contexts)|sort)"
        r"|skip_?(install|sdist)|vitest\.test\.benchmark\..+",
        _unrelated,
    ),
    # What a block of rules is for is compared rule by rule.
    (r"eslint\.files", fewer_linted),
    (
        r"eslint\.(scope\..+|name|(overrides\.)?(env\.\w+|files)|(languageOptions\.)?(parserOptions\.)?"
        r"(ecmaVersion|sourceType|ecmaFeatures\.\w+|tsconfigRootDir))",
        _unrelated,
    ),
    (r"eslint\..*globals\.[\w$.]+", unheard_of),
    (r"(bench|bin|example|test)\.[^.]+\.(test|doctest|harness)", turned_false_of_old),
    (r"eslint\.(overrides\.)?rules\..+", milder_rule),
    (r"cargo\.alias\..*", shadowing_alias),
    (r"(workspace\.)?lints\.(rust|clippy|rustdoc)\..+", milder_lint),
    (
        r"script-shell|node[-_]options|PYTEST_ADDOPTS|PYTEST_PLUGINS|GOFLAGS|RUSTFLAGS|MAKEFLAGS|BASH_ENV"
        r"|PYTHONSTARTUP|PYTHONWARNINGS|testNamePattern|cargo\..*runner|cargo\..*rustflags"
        r"|cargo\.build\.rustc\S*|cargo\.env\..*|rustc-(workspace-)?wrapper|testRunner|mocha\.(grep|fgrep)"
        r"|shell|default_stages|runTestsByPath|filter",
        changed_at_all,
    ),
    (r"addopts|pytest_args|test_args", narrower_options),
    (r"(lint\.)?(extend-)?per[-_]file[-_]ignores(\..*)?|lint\.per-file-ignores\..*", more_rules),
    (
        r"(run|report|coverage)\.omit|omit|coveragePathIgnorePatterns|coverage\.exclude|coverage\.ignore"
        r"|sonar\.coverage\.exclusions|\.?codecov\.ignore",
        more_product,
    ),
    (r"testPathIgnorePatterns|norecursedirs|vitest\.test\.exclude", more_tests),
    (
        r"exclude|extend[-_]exclude|ignores|ignorePatterns|ignored"
        r"|modulePathIgnorePatterns|exclude[-_](dirs|files|paths)|skip[-_](dirs|files)"
        r"|excludes?|files\.ignore|ignore[-_]paths?|ignore-patterns|sonar\.exclusions|excludedPaths",
        more_paths,
    ),
    (
        r"ignore|extend[-_]ignore|disabled?|disabled?[-_]error[-_]codes?|skips?|exclude_lines|exclude_also"
        r"|partial_branches|exclude-rules\..*|exclude-functions|\w*IgnorePattern|exclude(d)?(Tags|Groups)"
        r"|exclude[-_]?Tests?(Matching)?|filterwarnings|ignore[-_]names|allowed?|allow[-_]list"
        r"|suppress\w*|MESSAGES CONTROL\.disable|linters\.disable|ignoredErrors|exceptions"
        r"|untyped_calls_exclude",
        more_rules,
    ),
    (r"testpaths|testMatch|testRegex|roots|(test|vitest)\.include|test\.dir|spec", fewer_tests),
    (r"python_(files|classes|functions)", fewer_names),
    (r"collectCoverageFrom|(run|report|coverage)\.(include|source(_pkgs)?)", fewer_product),
    (
        r"include|files|source(_pkgs)?|packages|modules|default-members|projects|collect",
        fewer_paths,
    ),
    (r"workspaces|members", fewer_members),
    (
        r"select|extend[-_]select|enabled?[-_]error[-_]codes?|(linters\.)?enable|extends|plugins|env_?list"
        r"|repos\.hooks\.id|required_plugins|fail[-_]on|modulesToCheck|add_test|error",
        fewer_rules,
    ),
    (
        r".*(rules|lints)\..+|.*\breport[A-Z]\w+|severity|typeCheckingMode|.*lint\w*\..*level",
        milder,
    ),
    (
        r".*fail[-_]?under|.*threshold\w*\.(?!.*auto).+|.*coverageThreshold\..+|coverage\.(lines|branches|functions"
        r"|statements)|min[-_]?(coverage|score|confidence|similarity\S*|public\S*)|minimum(Coverage)?|target",
        lower,
    ),
    (
        r"(?!.*(workers|concurrency|parallel|maxfail|processes|minutes|header)).*(max[-_A-Z]\w*(-\w+)*"
        r"|line[-_]length|\w*timeout\w*|retr(y|ies)|reruns|\S*threshold|tolerance)",
        higher,
    ),
    (
        r"skipLibCheck|noCheck|ignore_errors|ignore_missing_imports|allow_\w+|implicit_optional"
        r"|implicit_reexport|allowUnreachableCode|allowUnusedLabels|suppress\w+|passWithNoTests|skip\w*"
        r"|maven\.test\.\S*|\w*FailureIgnore|ignore-?Failures|continue-on-error|allow_failure"
        r"|dangerouslyIgnore\w+|DISABLED|WILL_FAIL|informational|exit[-_]zero|forceExit|only(Changed|Failures)"
        r"|dry[-_]?run|ignore-scripts|ignoreDuringBuilds|ignoreBuildErrors|transpileOnly|disable[-_]all",
        switched_on,
    ),
    (
        r"test|doctest|autotests|harness|autobenches|overflow-checks|debug-assertions|enabled|if",
        turned_false,
    ),
    (
        r"strict\w*|warn_\w+|disallow_\w+|no_implicit_\w+|no_warn\w*|check_untyped_defs|extra_checks|xfail_strict"
        r"|empty_parameter_set_mark|noImplicit\w+|noUnused\w+|noUnchecked\w+|noFallthrough\w+|noProperty\w+"
        r"|exactOptional\w+|useUnknown\w+|alwaysStrict|forceConsistent\w+|checkJs|noEmitOnError|branch"
        r"|check-?coverage|fail_?On\w*|failIf\w+|haltOnFailure|require_\w+|coverage\.all|local_partial_types"
        r"|reportUnusedDisableDirectives|noInlineConfig|verbatimModuleSyntax|isolatedDeclarations|engine-strict"
        r"|lints\.workspace|recommended|all|linter|typeChecked|enforce\w*|deny\w*",
        switched_off,
    ),
    (r"follow_imports|errorlevel|ignoreDeprecations", changed_at_all),
)


def direction(key: str) -> Direction | None:
    """None for a key that nothing is known of."""
    if _UNRELATED.match(key):
        return _unrelated
    return next((how for pattern, how in _DIRECTIONS if pattern.match(key)), None)

"""Which changes of a setting loosen a check: a test for every known key."""

import re
from collections.abc import Callable
from typing import TypeAlias

from untildone.integrity.settings.cargo import (
    disables_baseline_target,
    is_milder_lint,
    shadows_subcommand,
)
from untildone.integrity.settings.eslint import (
    declares_unknown_global,
    is_milder_rule,
    lints_fewer_files,
)
from untildone.integrity.settings.lists import (
    collects_fewer_names,
    covers_fewer_paths,
    covers_fewer_tests,
    covers_less_product,
    excludes_more_paths,
    excludes_more_product,
    excludes_more_tests,
    has_fewer_members,
    has_narrower_options,
    ignores_more_rules,
    selects_fewer_rules,
)
from untildone.integrity.settings.setting_change import SettingChange
from untildone.integrity.settings.values import (
    is_changed,
    is_higher,
    is_lower,
    is_milder,
    is_set_to_false,
    is_switched_off,
    is_switched_on,
)

IsLoosened: TypeAlias = Callable[[SettingChange], bool]

# Settings of what is shipped, not of what is checked.
_UNRELATED = re.compile(
    r"(setuptools|poetry|hatch|pdm|flit|maturin|scikit-build|package(?!\.(auto\w+|build)$)|project|build-system|publishConfig"
    r"|dependencies|(dev|peer|optional)Dependencies|dev-dependencies|build-dependencies|dependency-groups"
    r"|uv|engines|bin(?!\.[^.]+\.(test|doctest|harness)$)|exports|imports|files|version|name|description|keywords|author|license|repository"
    r"|homepage|bugs|main|module|types|type|private|packageManager|browserslist|black|isort|overrides"
    r"|resolutions|workspace\.(dependencies|package|resolver)|metadata|options|options\..*|features"
    r"|profile\.(release|dev))(\.|$)",
    re.IGNORECASE,
)


def _is_never_looser(_change: SettingChange) -> bool:
    return False


def _rows(*rows: tuple[str, IsLoosened]) -> tuple[tuple[re.Pattern[str], IsLoosened], ...]:
    return tuple(
        (re.compile(rf"(?:^|.*[.:])(?:{keys})$", re.IGNORECASE), test) for keys, test in rows
    )


_TESTS = _rows(
    (r"prettier\.requirePragma|rustfmt\.(disable_all_formatting|skip_children)", is_switched_on),
    # The style of the code, and what it is compiled to.
    (
        r"prettier\.(?!overrides|plugins).+|rustfmt\.(?!ignore).+"
        r"|gomod\.(go|toolchain|module|require|tool|exclude|retract|use)"
        r"|tsconfig\.compilerOptions\.(lib|target|module|module(Resolution|Detection)|jsx\w*|types"
        r"|esModuleInterop|allowSyntheticDefaultImports|resolveJsonModule|declaration\w*|\w*sourceMap"
        r"|outDir|rootDirs?|composite|incremental|tsBuildInfoFile|importHelpers|downlevelIteration"
        r"|experimentalDecorators|emitDecoratorMetadata|useDefineForClassFields|isolatedModules"
        r"|allowImportingTsExtensions|rewriteRelativeImportExtensions|emitDeclarationOnly|removeComments"
        r"|newLine|inlineSources|stripInternal|allowJs|customConditions)",
        _is_never_looser,
    ),
    # The look of a report, and whether the project is installed first.
    (
        r"(report|html|coverage)\.(skip[-_]?(covered|empty|full)|show_(missing|contexts)|sort)"
        r"|skip_?(install|sdist)|vitest\.test\.benchmark\..+",
        _is_never_looser,
    ),
    # The files of a block are compared rule by rule.
    (r"eslint\.files", lints_fewer_files),
    (
        r"eslint\.(scope\..+|name|(overrides\.)?(env\.\w+|files)|(languageOptions\.)?(parserOptions\.)?"
        r"(ecmaVersion|sourceType|ecmaFeatures\.\w+|tsconfigRootDir))",
        _is_never_looser,
    ),
    (r"eslint\..*globals\.[\w$.]+", declares_unknown_global),
    (r"(bench|bin|example|test)\.[^.]+\.(test|doctest|harness)", disables_baseline_target),
    (r"eslint\.(overrides\.)?rules\..+", is_milder_rule),
    (r"cargo\.alias\..*", shadows_subcommand),
    (r"(workspace\.)?lints\.(rust|clippy|rustdoc)\..+", is_milder_lint),
    (
        r"script-shell|node[-_]options|PYTEST_ADDOPTS|PYTEST_PLUGINS|GOFLAGS|RUSTFLAGS|MAKEFLAGS|BASH_ENV"
        r"|PYTHONSTARTUP|PYTHONWARNINGS|testNamePattern|cargo\..*runner|cargo\..*rustflags"
        r"|cargo\.build\.rustc\S*|cargo\.env\..*|rustc-(workspace-)?wrapper|testRunner|mocha\.(grep|fgrep)"
        r"|shell|default_stages|runTestsByPath|filter",
        is_changed,
    ),
    (r"addopts|pytest_args|test_args", has_narrower_options),
    (
        r"(lint\.)?(extend-)?per[-_]file[-_]ignores(\..*)?|lint\.per-file-ignores\..*",
        ignores_more_rules,
    ),
    (
        r"(run|report|coverage)\.omit|omit|coveragePathIgnorePatterns|coverage\.exclude|coverage\.ignore"
        r"|sonar\.coverage\.exclusions|\.?codecov\.ignore",
        excludes_more_product,
    ),
    (r"testPathIgnorePatterns|norecursedirs|vitest\.test\.exclude", excludes_more_tests),
    (
        r"exclude|extend[-_]exclude|ignores|ignorePatterns|ignored"
        r"|modulePathIgnorePatterns|exclude[-_](dirs|files|paths)|skip[-_](dirs|files)"
        r"|excludes?|files\.ignore|ignore[-_]paths?|ignore-patterns|sonar\.exclusions|excludedPaths",
        excludes_more_paths,
    ),
    (
        r"ignore|extend[-_]ignore|disabled?|disabled?[-_]error[-_]codes?|skips?|exclude_lines|exclude_also"
        r"|partial_branches|exclude-rules\..*|exclude-functions|\w*IgnorePattern|exclude(d)?(Tags|Groups)"
        r"|exclude[-_]?Tests?(Matching)?|filterwarnings|ignore[-_]names|allowed?|allow[-_]list"
        r"|suppress\w*|MESSAGES CONTROL\.disable|linters\.disable|ignoredErrors|exceptions"
        r"|untyped_calls_exclude",
        ignores_more_rules,
    ),
    (
        r"testpaths|testMatch|testRegex|roots|(test|vitest)\.include|test\.dir|spec",
        covers_fewer_tests,
    ),
    (r"python_(files|classes|functions)", collects_fewer_names),
    (r"collectCoverageFrom|(run|report|coverage)\.(include|source(_pkgs)?)", covers_less_product),
    (
        r"include|files|source(_pkgs)?|packages|modules|default-members|projects|collect",
        covers_fewer_paths,
    ),
    (r"workspaces|members", has_fewer_members),
    (
        r"select|extend[-_]select|enabled?[-_]error[-_]codes?|(linters\.)?enable|extends|plugins|env_?list"
        r"|repos\.hooks\.id|required_plugins|fail[-_]on|modulesToCheck|add_test|error",
        selects_fewer_rules,
    ),
    (
        r".*(rules|lints)\..+|.*\breport[A-Z]\w+|severity|typeCheckingMode|.*lint\w*\..*level",
        is_milder,
    ),
    (
        r".*fail[-_]?under|.*threshold\w*\.(?!.*auto).+|.*coverageThreshold\..+|coverage\.(lines|branches|functions"
        r"|statements)|min[-_]?(coverage|score|confidence|similarity\S*|public\S*)|minimum(Coverage)?|target",
        is_lower,
    ),
    (
        r"(?!.*(workers|concurrency|parallel|maxfail|processes|minutes|header)).*(max[-_A-Z]\w*(-\w+)*"
        r"|line[-_]length|\w*timeout\w*|retr(y|ies)|reruns|\S*threshold|tolerance)",
        is_higher,
    ),
    (
        r"skipLibCheck|noCheck|ignore_errors|ignore_missing_imports|allow_\w+|implicit_optional"
        r"|implicit_reexport|allowUnreachableCode|allowUnusedLabels|suppress\w+|passWithNoTests|skip\w*"
        r"|maven\.test\.\S*|\w*FailureIgnore|ignore-?Failures|continue-on-error|allow_failure"
        r"|dangerouslyIgnore\w+|DISABLED|WILL_FAIL|informational|exit[-_]zero|forceExit|only(Changed|Failures)"
        r"|dry[-_]?run|ignore-scripts|ignoreDuringBuilds|ignoreBuildErrors|transpileOnly|disable[-_]all",
        is_switched_on,
    ),
    (
        r"test|doctest|autotests|harness|autobenches|overflow-checks|debug-assertions|enabled|if",
        is_set_to_false,
    ),
    (
        r"strict\w*|warn_\w+|disallow_\w+|no_implicit_\w+|no_warn\w*|check_untyped_defs|extra_checks|xfail_strict"
        r"|empty_parameter_set_mark|noImplicit\w+|noUnused\w+|noUnchecked\w+|noFallthrough\w+|noProperty\w+"
        r"|exactOptional\w+|useUnknown\w+|alwaysStrict|forceConsistent\w+|checkJs|noEmitOnError|branch"
        r"|check-?coverage|fail_?On\w*|failIf\w+|haltOnFailure|require_\w+|coverage\.all|local_partial_types"
        r"|reportUnusedDisableDirectives|noInlineConfig|verbatimModuleSyntax|isolatedDeclarations|engine-strict"
        r"|lints\.workspace|recommended|all|linter|typeChecked|enforce\w*|deny\w*",
        is_switched_off,
    ),
    (r"follow_imports|errorlevel|ignoreDeprecations", is_changed),
)


def find_loosening_test(key: str) -> IsLoosened | None:
    """Return the test for a key; None if nothing is known of it."""
    if _UNRELATED.match(key):
        return _is_never_looser
    return next((test for pattern, test in _TESTS if pattern.match(key)), None)

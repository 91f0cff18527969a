"""Recorded output of compilers and build tools."""

import pytest

from checks.parsers.recording import count_recorded, error, load_recorded, parse_recorded, warning
from untildone.checks.findings import Diagnostic
from untildone.checks.parsers import javac
from untildone.core import check_results


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gcc-12.2.0-green", ()),
        (
            "cmake-3.25.1-configure-red",
            (
                warning("CMakeLists.txt", 4, "", "old"),
                error("CMakeLists.txt", 3, "", "Cannot find source file: nothing.c"),
                error("CMakeLists.txt", 3, "", "No SOURCES given to target: shop"),
            ),
        ),
        (
            "cmake-3.25.1-test-red",
            (
                error("", 0, "adds", "failed"),
                error("", 0, "crashes", "subprocess aborted exception"),
                error("", 0, "hangs", "timeout"),
                error("", 0, "gone", "not run"),
            ),
        ),
        ("cmake-3.25.1-test-zero", ()),
        (
            "gcc-12.2.0-include",
            (error("include.c", 1, "", "nothing.h: No such file or directory"),),
        ),
        ("gcc-12.2.0-link", (error("link.c", 0, "ld", "undefined reference to `missing'"),)),
        (
            "gcc-12.2.0-red",
            (
                error("price.h", 2, "", "\u2018y\u2019 undeclared (first use in this function)"),
                warning(
                    "cart.c",
                    6,
                    "-Wint-conversion",
                    "initialization of \u2018char *\u2019 from \u2018int\u2019 makes pointer "
                    "from integer without a cast",
                ),
                warning(
                    "cart.c",
                    7,
                    "-Wformat=",
                    "format \u2018%s\u2019 expects argument of type \u2018char *\u2019, but "
                    "argument 2 has type \u2018int\u2019",
                ),
                warning(
                    "cart.c",
                    8,
                    "-Wimplicit-function-declaration",
                    "implicit declaration of function \u2018nothing\u2019",
                ),
                warning(
                    "cart.c",
                    8,
                    "-Wint-conversion",
                    "passing argument 1 of \u2018price\u2019 makes integer from pointer "
                    "without a cast",
                ),
                warning("cart.c", 6, "-Wunused-variable", "unused variable \u2018name\u2019"),
                warning("cart.c", 5, "-Wunused-variable", "unused variable \u2018unused\u2019"),
                warning("price.h", 3, "-Wreturn-type", "control reaches end of non-void function"),
            ),
        ),
        (
            "gcc-12.2.0-template",
            (
                error(
                    "cart.cpp",
                    4,
                    "",
                    "no matching function for call to \u2018push_back(const char [2])\u2019",
                ),
                error(
                    "cart.cpp",
                    4,
                    "-fpermissive",
                    "invalid conversion from \u2018const char*\u2019 to "
                    "\u2018std::vector<int>::value_type\u2019 {aka \u2018int\u2019}",
                ),
                error(
                    "cart.cpp",
                    4,
                    "-fpermissive",
                    "invalid conversion from \u2018const char*\u2019 to "
                    "\u2018std::vector<int>::value_type\u2019 {aka \u2018int\u2019}",
                ),
                error(
                    "cart.cpp",
                    5,
                    "",
                    "\u2018class std::vector<int>\u2019 has no member named \u2018nothing\u2019",
                ),
            ),
        ),
        ("clang-14.0.6-green", ()),
        ("clang-14.0.6-include", (error("include.c", 1, "", "'nothing.h' file not found"),)),
        ("clang-14.0.6-link", (error("link.c", 0, "ld", "undefined reference to `missing'"),)),
        (
            "clang-14.0.6-red",
            (
                error("price.h", 2, "", "use of undeclared identifier 'y'"),
                warning(
                    "cart.c",
                    6,
                    "-Wint-conversion",
                    "incompatible integer to pointer conversion initializing 'char *' with an "
                    "expression of type 'int'",
                ),
                warning(
                    "cart.c",
                    7,
                    "-Wformat",
                    "format specifies type 'char *' but the argument has type 'int'",
                ),
                warning(
                    "cart.c",
                    8,
                    "-Wimplicit-function-declaration",
                    "implicit declaration of function 'nothing' is invalid in C99",
                ),
                warning(
                    "cart.c",
                    8,
                    "-Wint-conversion",
                    "incompatible pointer to integer conversion passing 'char[2]' to parameter "
                    "of type 'int'",
                ),
                warning("cart.c", 5, "-Wunused-variable", "unused variable 'unused'"),
                warning("cart.c", 6, "-Wunused-variable", "unused variable 'name'"),
            ),
        ),
        (
            "clang-14.0.6-template",
            (
                error("cart.cpp", 4, "", "no matching member function for call to 'push_back'"),
                error("cart.cpp", 5, "", "no member named 'nothing' in 'std::vector<int>'"),
            ),
        ),
        ("javac-17.0.15-green", ()),
        (
            "javac-17.0.15-red",
            (
                error(
                    "shop/Cart.java", 9, "", "incompatible types: int cannot be converted to String"
                ),
                error("shop/Cart.java", 10, "", "cannot find symbol: method nothing(List)"),
                error("shop/Cart.java", 10, "", "cannot find symbol: method size()"),
            ),
        ),
        (
            "javac-17.0.15-syntax",
            (error("shop/Broken.java", 4, "", "reached end of file while parsing"),),
        ),
        (
            "javac-17.0.15-warnings",
            (
                warning("shop/Fine.java", 6, "rawtypes", "found raw type: List"),
                warning(
                    "shop/Fine.java",
                    9,
                    "unchecked",
                    "unchecked call to add(E) as a member of the raw type List",
                ),
            ),
        ),
        (
            "maven-3.8.7-bad-pom",
            (
                error(
                    "",
                    0,
                    "build",
                    "Non-parseable POM /tmp/shop/maven/bad-pom.xml: end tag name </project> "
                    "must match start tag name <modelVersion> from line 2 (position: TEXT seen "
                    "...<modelVersion>4.0.0\\n</project>... @3:11)  @ line 3, column 11",
                ),
            ),
        ),
        (
            "maven-3.8.7-build-red",
            (
                error(
                    "/tmp/shop/maven/broken/src/main/java/shop/Cart.java",
                    9,
                    "",
                    "incompatible types: int cannot be converted to java.lang.String",
                ),
                error(
                    "/tmp/shop/maven/broken/src/main/java/shop/Cart.java",
                    10,
                    "",
                    "cannot find symbol: method nothing(java.util.List)",
                ),
                error(
                    "/tmp/shop/maven/broken/src/main/java/shop/Cart.java",
                    10,
                    "",
                    "cannot find symbol: method size()",
                ),
            ),
        ),
        ("maven-3.8.7-green", ()),
        (
            "maven-3.8.7-red",
            (
                error(
                    "CartTest.java",
                    28,
                    "shop.CartTest.counts{int}[1]",
                    "org.opentest4j.AssertionFailedError: expected: <1> but was: <2>",
                ),
                error(
                    "CartTest.java",
                    18,
                    "shop.CartTest.readsPrices",
                    "java.lang.IllegalStateException: no database",
                ),
                error(
                    "CartTest.java",
                    13,
                    "shop.CartTest.addsPrices",
                    "org.opentest4j.AssertionFailedError: expected: <3> but was: <2>",
                ),
            ),
        ),
        (
            "maven-3.8.7-warnings",
            (
                warning(
                    "/tmp/shop/maven/warn/src/main/java/shop/Fine.java",
                    6,
                    "",
                    "found raw type: java.util.List",
                ),
                warning(
                    "/tmp/shop/maven/warn/src/main/java/shop/Fine.java",
                    9,
                    "",
                    "unchecked call to add(E) as a member of the raw type java.util.List",
                ),
            ),
        ),
        ("maven-3.8.7-zero", ()),
        (
            "gradle-4.4.1-bad-build",
            (
                error(
                    "/tmp/shop/gradle/bad/build.gradle",
                    3,
                    "build",
                    "Could not find method nothingLikeThis() for arguments [] on root project "
                    "'bad' of type org.gradle.api.Project.",
                ),
            ),
        ),
        ("gradle-4.4.1-green", ()),
        (
            "gradle-4.4.1-red",
            (
                error(
                    "CartTest.java",
                    16,
                    "shop.CartTest > readsPrices",
                    "java.lang.IllegalStateException",
                ),
                error(
                    "CartTest.java", 11, "shop.CartTest > addsPrices", "java.lang.AssertionError"
                ),
            ),
        ),
        ("gradle-4.4.1-zero", ()),
    ],
)
def test_what_a_run_reports_is_found(name: str, expected: tuple[Diagnostic, ...]) -> None:
    assert parse_recorded(name) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("maven-3.8.7-green", check_results.Tests(passed=1)),
        (
            "maven-3.8.7-red",
            check_results.Tests(
                passed=1,
                failed=3,
                skipped=1,
                failing=(
                    "shop.CartTest.counts{int}[1]",
                    "shop.CartTest.readsPrices",
                    "shop.CartTest.addsPrices",
                ),
            ),
        ),
        ("maven-3.8.7-zero", check_results.Tests()),
        ("maven-3.8.7-build-red", None),
        ("gradle-4.4.1-green", None),
        (
            "gradle-4.4.1-red",
            check_results.Tests(
                passed=1,
                failed=2,
                skipped=1,
                failing=(
                    "shop.CartTest > readsPrices",
                    "shop.CartTest > addsPrices",
                ),
            ),
        ),
        ("gradle-4.4.1-zero", check_results.Tests()),
        ("gradle-4.4.1-build-red", None),
        ("gcc-12.2.0-red", None),
        ("cmake-3.25.1-configure-red", None),
        ("cmake-3.25.1-test-zero", check_results.Tests()),
        (
            "cmake-3.25.1-test-red",
            check_results.Tests(
                passed=1,
                failed=4,
                skipped=2,
                failing=("adds", "crashes", "hangs", "gone"),
                passing=("counts",),
                skipping=("later", "elsewhere"),
            ),
        ),
        ("javac-17.0.15-red", None),
    ],
)
def test_the_tests_of_a_run_are_counted(name: str, expected: check_results.Tests | None) -> None:
    assert count_recorded(name) == expected


def test_the_compiler_is_heard_inside_gradle() -> None:
    path = "/tmp/shop/gradle/broken/src/main/java/shop/Cart.java"
    assert tuple(javac.parse(load_recorded("gradle-4.4.1-build-red"))) == (
        error(path, 9, "", "incompatible types: int cannot be converted to String"),
        error(path, 10, "", "cannot find symbol: method nothing(List)"),
        error(path, 10, "", "cannot find symbol: method size()"),
    )

"""In every language: a test shows a change only if it fails without what the change does."""

import shlex
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from snippets import snippet
from tools import cache, maven, on_machine, tool
from untildone.engine.sandbox_trial import try_sandboxes
from world import World

# Maven and cargo build the project about ten times over.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


class Project(NamedTuple):
    """A green project, its product with a new function, and tests of that function.

    `empty` is the product whose new function does nothing, `idle_test` a test that only calls it.
    `changed` is the product with another fare for seniors, `test` a test of that fare.
    """

    check: str
    files: dict[str, str]
    product: str
    test_file: str
    new: str
    new_test: str
    empty: str
    idle_test: str
    changed: str
    test: str


JAVASCRIPT = "exports.fare = (age) => 12;\n"
NODE_TEST = snippet("""
    const test = require("node:test");
    const assert = require("node:assert");
    const { fare, senior } = require("../ferry.js");

    test("seniors", () => { BODY });
""")
GO = "package ferry\n\nfunc Fare(age int) int {\n\treturn 12\n}\n"
GO_TEST = 'package ferry\n\nimport "testing"\n\nfunc TestSeniors(t *testing.T) {\n\tBODY\n}\n'
RUST = "pub fn fare(_age: u32) -> u32 {\n    12\n}\n"
RUST_TEST = snippet("""

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn adults() {
            assert_eq!(fare(30), 12);
        }
        BODY
    }
""")
TYPESCRIPT = "export function fare(age: number): number {\n  return 12;\n}\n"
VITEST = snippet("""
    import { expect, test } from "vitest";
    import * as ferry from "../src/ferry";

    test("seniors", () => { BODY });
""")
JAVA = snippet("""
    package ferry;

    public final class Fares {
        public static int fare(int age) {
            return 12;
        }
    }
""")
JAVA_TEST = snippet("""
    package ferry;

    import static org.junit.Assert.assertEquals;

    import org.junit.Test;

    public class SeniorsTest {
        @Test
        public void seniors() {
            BODY
        }
    }
""")
POM = (Path(__file__).parent / "projects" / "java.txt").read_text(encoding="utf-8")


def inline(product: str, test: str) -> str:
    body = f"#[test]\n    fn seniors() {{\n        {test}\n    }}" if test else ""
    return product + RUST_TEST.replace("BODY", body)


def make_javascript(_: World) -> Project:
    empty = f"{JAVASCRIPT}exports.senior = function () {{}};\n"
    return Project(
        check=f"{on_machine('node')} --test",
        files={
            "ferry.js": JAVASCRIPT,
            "package.json": '{"name": "ferry"}\n',
            "test/fare.test.js": NODE_TEST.replace("BODY", "assert.equal(fare(30), 12);"),
        },
        product="ferry.js",
        test_file="test/senior.test.js",
        new=empty.replace("{}", "{ return 6; }"),
        new_test=NODE_TEST.replace("BODY", "assert.equal(senior(70), 6);"),
        empty=empty,
        idle_test=NODE_TEST.replace("BODY", "senior(70);"),
        changed=JAVASCRIPT.replace("12", "age > 65 ? 6 : 12"),
        test=NODE_TEST.replace("BODY", "assert.equal(fare(70), 6);"),
    )


def make_typescript(world: World) -> Project:
    folder = Path(shlex.split(tool("vitest"))[0]).parents[1]
    (world.project / "node_modules").symlink_to(folder)
    empty = f"{TYPESCRIPT}\nexport const senior = (age: number): void => {{}};\n"
    return Project(
        check="node_modules/.bin/vitest run",
        files={
            "src/ferry.ts": TYPESCRIPT,
            "package.json": '{"name": "ferry", "type": "module"}\n',
            ".gitignore": "node_modules\n",
            "test/fare.test.ts": VITEST.replace("BODY", "expect(ferry.fare(30)).toBe(12);"),
        },
        product="src/ferry.ts",
        test_file="test/senior.test.ts",
        new=empty.replace("void => {}", "number => 6"),
        new_test=VITEST.replace("BODY", "expect(ferry.senior(70)).toBe(6);"),
        empty=empty,
        idle_test=VITEST.replace("BODY", "ferry.senior(70);"),
        changed=TYPESCRIPT.replace("12", "age > 65 ? 6 : 12"),
        test=VITEST.replace("BODY", "expect(ferry.fare(70)).toBe(6);"),
    )


def make_go(_: World) -> Project:
    test = 'if got := {}(70); got != 6 {{\n\t\tt.Errorf("got %d", got)\n\t}}'
    return Project(
        check=f"env GOTOOLCHAIN=local {tool('go')} test ./...",
        files={
            "go.mod": "module ferry\n\ngo 1.21\n",
            "ferry.go": GO,
            "fare_test.go": GO_TEST.replace("Seniors", "Adults").replace(
                "BODY", 'if Fare(30) != 12 {\n\t\tt.Error("no")\n\t}'
            ),
        },
        product="ferry.go",
        test_file="senior_test.go",
        new=f"{GO}\nfunc Senior(age int) int {{\n\treturn 6\n}}\n",
        new_test=GO_TEST.replace("BODY", test.format("Senior")),
        empty=f"{GO}\nfunc Senior(age int) {{\n}}\n",
        idle_test=GO_TEST.replace("BODY", "Senior(70)"),
        changed=GO.replace("return 12", "if age > 65 {\n\t\treturn 6\n\t}\n\treturn 12"),
        test=GO_TEST.replace("BODY", test.format("Fare")),
    )


def make_rust(_: World) -> Project:
    empty = f"{RUST}\npub fn senior(_age: u32) {{}}\n"
    new = f"{RUST}\npub fn senior(_age: u32) -> u32 {{\n    6\n}}\n"
    changed = RUST.replace("_age", "age").replace("12", "if age > 65 { 6 } else { 12 }")
    return Project(
        check=f"{on_machine('cargo')} test -q --offline",
        files={
            "Cargo.toml": '[package]\nname = "ferry"\nversion = "0.1.0"\nedition = "2021"\n',
            ".gitignore": "target\nCargo.lock\n",
            "src/lib.rs": inline(RUST, ""),
        },
        product="src/lib.rs",
        test_file="src/lib.rs",
        new="",
        new_test=inline(new, "assert_eq!(senior(70), 6);"),
        empty="",
        idle_test=inline(empty, "senior(70);"),
        changed="",
        test=inline(changed, "assert_eq!(fare(70), 6);"),
    )


def make_java(_: World) -> Project:
    program, *options = shlex.split(maven())
    pom = POM.partition("-- pom.xml --\n")[2].partition("-- ")[0]
    new = "    public static int senior(int age) {\n        return 6;\n    }\n}\n"
    empty = "    public static void senior(int age) {\n    }\n}\n"
    return Project(
        check=f"{shlex.quote(program)} -B -q test",
        files={
            "pom.xml": pom,
            ".gitignore": "target\n",
            ".mvn/maven.config": "\n".join(options),
            "src/main/java/ferry/Fares.java": JAVA,
            "src/test/java/ferry/FaresTest.java": JAVA_TEST.replace("Seniors", "Fares").replace(
                "BODY", "assertEquals(12, Fares.fare(30));"
            ),
        },
        product="src/main/java/ferry/Fares.java",
        test_file="src/test/java/ferry/SeniorsTest.java",
        new=JAVA.rstrip().removesuffix("}") + new,
        new_test=JAVA_TEST.replace("BODY", "assertEquals(6, Fares.senior(70));"),
        empty=JAVA.rstrip().removesuffix("}") + empty,
        idle_test=JAVA_TEST.replace("BODY", "Fares.senior(70);"),
        changed=JAVA.replace("return 12", "return age > 65 ? 6 : 12"),
        test=JAVA_TEST.replace("BODY", "assertEquals(6, Fares.fare(70));"),
    )


PROJECTS = {
    "JavaScript": make_javascript,
    "TypeScript": make_typescript,
    "Go": make_go,
    "Rust": make_rust,
    "Java": make_java,
}


@pytest.mark.parametrize("language", PROJECTS)
def test_what_shows_a_change(world: World, language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # A cache that the environment names is lent to sandboxes, so that Go's own library is not built
    # anew for each run.
    monkeypatch.setenv("GOCACHE", str(cache() / "go-build"))
    shutil.rmtree(world.project)
    world.project.mkdir()
    project = PROJECTS[language](world)
    world.message = "Done.\nEXIT_SIGNAL: true"
    seen = []
    for product, test in (
        (project.changed, project.test),
        (project.new, project.new_test),
        (project.empty, project.idle_test),
    ):
        world.write_all(project.files)
        (world.project / project.test_file).unlink(missing_ok=True)
        world.write_all(project.files)
        world.start_check(project.check, timeout=100)
        # Maven's settings are in a folder of the home folder that is not lent.
        try_sandboxes(world.context, world.loop)
        if product:
            world.write(project.product, product)
        world.write(project.test_file, test)
        world.stop()
        seen.append((world.outcome, world.concerns))
        if world.outcome is None:
            world.prompt("/untildone:cancel")

    assert seen == [("done", []), ("done", []), (None, ["proof:tests"])]

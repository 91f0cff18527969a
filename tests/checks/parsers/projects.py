"""Small projects in which each tool finds something."""

from snippets import snippet

CARGO = {
    "Cargo.toml": snippet("""
        [package]
        name = "shop"
        version = "0.1.0"
        edition = "2021"
    """),
    "src/lib.rs": snippet("""
        pub fn total() -> i32 {
            true
        }
    """),
}
GO = {
    "go.mod": "module shop\n",
    "cart_test.go": (
        snippet("""
            package shop

            import "testing"

            func TestTotal(t *testing.T) {
            \tt.Error("no price")
            }
        """)
    ),
}
CMAKE = {
    "CMakeLists.txt": (
        snippet("""
            cmake_minimum_required(VERSION 3.20)
            project(shop NONE)
            enable_testing()
            add_test(NAME adds COMMAND ${CMAKE_COMMAND} -E false)
            add_test(NAME counts COMMAND ${CMAKE_COMMAND} -E true)
        """)
    )
}
ESLINT = {
    "eslint.config.mjs": 'export default [{ rules: { "no-undef": "error" } }];\n',
    "cart.js": "nothing();\n",
}
JAVA_TEST = """\
package shop;

import org.junit.Test;

public class CartTest {
    @Test public void adds() {
        throw new IllegalStateException("no price");
    }
    @Test public void counts() {}
}
"""
GRADLE = {
    "settings.gradle": "rootProject.name = 'shop'\n",
    "build.gradle": (
        "apply plugin: 'java'\ndependencies {\n    testCompile files("
        "'/usr/share/java/junit4.jar', '/usr/share/java/hamcrest-core.jar')\n}\n"
    ),
    "src/test/java/shop/CartTest.java": JAVA_TEST,
}
MAVEN = {
    "pom.xml": """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>shop</groupId><artifactId>shop</artifactId><version>1.0</version>
  <properties>
    <maven.compiler.source>17</maven.compiler.source>
    <maven.compiler.target>17</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies><dependency>
    <groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version>
  </dependency></dependencies>
  <build><plugins>
    <plugin><artifactId>maven-resources-plugin</artifactId><version>3.3.0</version></plugin>
    <plugin><artifactId>maven-compiler-plugin</artifactId><version>3.10.1</version></plugin>
    <plugin>
      <artifactId>maven-surefire-plugin</artifactId><version>2.22.3</version>
      <!-- a second virtual machine may linger for seconds -->
      <configuration><forkCount>0</forkCount></configuration>
    </plugin>
  </plugins></build>
</project>
""",
    "src/test/java/shop/CartTest.java": JAVA_TEST,
}

"""Small projects in which each tool finds something."""

CARGO = {
    "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n',
    "src/lib.rs": "pub fn total() -> i32 {\n    true\n}\n",
}
GO = {
    "go.mod": "module shop\n",
    "cart_test.go": (
        'package shop\n\nimport "testing"\n\n'
        'func TestTotal(t *testing.T) {\n\tt.Error("no price")\n}\n'
    ),
}
CMAKE = {
    "CMakeLists.txt": (
        "cmake_minimum_required(VERSION 3.20)\nproject(shop NONE)\nenable_testing()\n"
        "add_test(NAME adds COMMAND ${CMAKE_COMMAND} -E false)\n"
        "add_test(NAME counts COMMAND ${CMAKE_COMMAND} -E true)\n"
    )
}
ESLINT = {
    "eslint.config.mjs": 'export default [{ rules: { "no-undef": "error" } }];\n',
    "cart.js": "nothing();\n",
}
JAVA_TEST = (
    "package shop;\n\nimport org.junit.Test;\n\npublic class CartTest {\n"
    '    @Test public void adds() {\n        throw new IllegalStateException("no price");\n    }\n'
    "    @Test public void counts() {}\n}\n"
)
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

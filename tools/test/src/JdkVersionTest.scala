package undercroft.tools

class JdkVersionTest extends undercroft.tools.Suite:

  test("JdkVersion.parse reads releases, patches, early-access builds and Java 8"):
    assertEquals(JdkVersion.parse("25"), Some(JdkVersion(25, 0, 0)))
    assertEquals(JdkVersion.parse("25.0.3"), Some(JdkVersion(25, 0, 3)))
    assertEquals(JdkVersion.parse("25.0.3.0.1"), Some(JdkVersion(25, 0, 3)))
    assertEquals(JdkVersion.parse("26-ea"), Some(JdkVersion(26, 0, 0)))
    assertEquals(JdkVersion.parse("25.0.3+9-LTS"), Some(JdkVersion(25, 0, 3)))
    assertEquals(JdkVersion.parse("1.8.0_412"), Some(JdkVersion(8, 0, 412)))

  test("JdkVersion.parse of an invalid version returns None"):
    for text <- Seq("", "x", "25.x", "-25", "25.") do
      assertEquals(JdkVersion.parse(text), None, text)

  test("JDK versions compare numerically"):
    assert(JdkVersion(25, 0, 10) > JdkVersion(25, 0, 9))

  test("a JDK 25 before 25.0.3 has a warning, and later versions have none"):
    assertEquals(
      JdkVersion(25, 0, 2).warning,
      Some("JDK 25.0.2 has JDK-8377811 (G1 may corrupt pinned arrays): use 25.0.3 or later")
    )
    for fine <- Seq(JdkVersion(25, 0, 3), JdkVersion(26, 0, 0)) do
      assertEquals(fine.warning, None, fine.toString)
end JdkVersionTest

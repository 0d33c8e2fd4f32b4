package undercroft.tools

class JdkVersionTest extends undercroft.tools.Suite:

  test("versions of releases, patches, early access and old Java are read"):
    assertEquals(JdkVersion.parse("25"), Some(JdkVersion(25, 0, 0)))
    assertEquals(JdkVersion.parse("25.0.3"), Some(JdkVersion(25, 0, 3)))
    assertEquals(JdkVersion.parse("25.0.3.0.1"), Some(JdkVersion(25, 0, 3)))
    assertEquals(JdkVersion.parse("26-ea"), Some(JdkVersion(26, 0, 0)))
    assertEquals(JdkVersion.parse("25.0.3+9-LTS"), Some(JdkVersion(25, 0, 3)))
    assertEquals(JdkVersion.parse("1.8.0_412"), Some(JdkVersion(8, 0, 412)))

  test("what is no version is none"):
    for text <- Seq("", "x", "25.x", "-25", "25.") do
      assertEquals(JdkVersion.parse(text), None, text)

  test("versions compare by number, not by letter"):
    assert(JdkVersion(25, 0, 10) > JdkVersion(25, 0, 9))

  test("25 below 25.0.3 carries a warning, and nothing else does"):
    assertEquals(
      JdkVersion(25, 0, 2).warning,
      Some("JDK 25.0.2 has JDK-8377811 (G1 may corrupt pinned arrays): use 25.0.3 or later")
    )
    for fine <- Seq(JdkVersion(25, 0, 3), JdkVersion(26, 0, 0)) do
      assertEquals(fine.warning, None, fine.toString)
end JdkVersionTest

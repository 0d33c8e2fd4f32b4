package undercroft.tools

import java.util.jar.{JarInputStream, Manifest}

class FixedJarTest extends Suite:
  private val folder = FunFixture[os.Path](_ => os.temp.dir(), os.remove.all(_))

  private def text(value: String) = value.getBytes("UTF-8").nn

  folder.test("a jar has the same bytes in every time zone and for every order of its files"):
    folder =>
      val files = Seq("b" -> text("2"), "a/c" -> text("1"))
      FixedJar.write(folder / "one.jar", files, None)
      val zone = java.util.TimeZone.getDefault.nn
      try
        java.util.TimeZone.setDefault(java.util.TimeZone.getTimeZone("Pacific/Kiritimati"))
        FixedJar.write(folder / "other.jar", files.reverse, None)
      finally java.util.TimeZone.setDefault(zone)
      assertEquals(
        os.read.bytes(folder / "other.jar").toVector,
        os.read.bytes(folder / "one.jar").toVector
      )
      assertEquals(FixedJar.entriesOf(folder / "one.jar").map(_._1), Seq("a/c", "b"))

  folder.test("the manifest is the jar's first entry, and the first of two files of a name counts"):
    folder =>
      val manifest = Manifest()
      manifest.getMainAttributes.nn.putValue("Manifest-Version", "1.0")
      manifest.getMainAttributes.nn.putValue("Lamp", "on")
      val files = Seq("a" -> text("1"), "a" -> text("2"))
      FixedJar.write(folder / "one.jar", files, Some(manifest))
      val jar = JarInputStream(os.read.inputStream(folder / "one.jar"))
      try
        assertEquals(String.valueOf(jar.getManifest.nn.getMainAttributes.nn.getValue("Lamp")), "on")
        assertEquals(jar.getNextEntry.nn.getName.nn, "a")
        assertEquals(String(jar.readAllBytes(), "UTF-8"), "1")
      finally jar.close()

  test("the path of a source file in a sources jar is that of its package"):
    val nested = "// Licence\npackage undercroft.actor\npackage testkit\n\nimport x.y\npackage z"
    assertEquals(FixedJar.sourcePath("Probe.scala", nested), "undercroft/actor/testkit/Probe.scala")
    val java = "package undercroft.spark; // a comment\n\nclass A {}"
    assertEquals(FixedJar.sourcePath("A.java", java), "undercroft/spark/A.java")
    assertEquals(FixedJar.sourcePath("A.scala", "class A"), "A.scala")
end FixedJarTest

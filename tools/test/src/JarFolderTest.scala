package undercroft.tools

import java.util.jar.{JarEntry, JarOutputStream}

class JarFolderTest extends Suite:
  private val folder = FunFixture[os.Path](_ => os.temp.dir(), os.remove.all(_))

  private def jar(path: os.Path, files: (String, String)*): os.Path =
    val out = JarOutputStream(os.write.outputStream(path))
    try
      for (name, text) <- files do
        out.putNextEntry(JarEntry(name))
        out.write(text.getBytes("UTF-8"))
        out.closeEntry()
    finally out.close()
    path

  folder.test("of two files of a name the first counts, and lists of services are joined"): root =>
    val services = "META-INF/services/lamp.Codec"
    os.write(root / "classes" / "a" / "b.txt", "first", createFolders = true)
    os.write(root / "classes" / os.SubPath(services), "lamp.A", createFolders = true)
    val second = jar(root / "second.jar", "a/b.txt" -> "second", "c" -> "3", services -> "lamp.B\n")
    JarFolder.merge(Seq(root / "classes", second, root / "missing"), root / "files")
    assertEquals(os.read(root / "files" / "a" / "b.txt"), "first")
    assertEquals(os.read(root / "files" / "c"), "3")
    assertEquals(os.read(root / "files" / os.SubPath(services)), "lamp.A\nlamp.B\n")
    assertEquals(os.list(root).map(_.last).toSet, Set("classes", "files", "second.jar"))

  folder.test(
    "licences go to a folder of their jar; manifests, signatures and modules are left out"
  ): root =>
    val one = jar(
      root / "one-1.0.jar",
      "META-INF/LICENSE.txt" -> "one",
      "NOTICE" -> "note",
      "META-INF/MANIFEST.MF" -> "Lamp: on\n",
      "META-INF/KEY.RSA" -> "key",
      "META-INF/versions/9/module-info.class" -> "module",
      "libduckdb_java.so_osx_universal" -> "",
      "libduckdb_java.so_linux_amd64" -> ""
    )
    JarFolder.merge(Seq(one), root / "files")
    val files = os.walk(root / "files").filter(os.isFile(_))
    assertEquals(
      files.map(_.subRelativeTo(root / "files").toString).toSet,
      Set(
        "META-INF/licenses/one-1.0/META-INF/LICENSE.txt",
        "META-INF/licenses/one-1.0/NOTICE",
        "libduckdb_java.so_linux_amd64"
      )
    )

  test("the path of a source file in a sources jar is that of its package"):
    val nested = "// Licence\npackage undercroft.actor\npackage testkit\n\nimport x.y\npackage z"
    val path = JarFolder.sourcePath("Probe.scala", nested)
    assertEquals(path.toString, "undercroft/actor/testkit/Probe.scala")
    val java = "package undercroft.spark; // a comment\n\nclass A {}"
    assertEquals(JarFolder.sourcePath("A.java", java).toString, "undercroft/spark/A.java")
    assertEquals(JarFolder.sourcePath("A.scala", "class A").toString, "A.scala")
end JarFolderTest

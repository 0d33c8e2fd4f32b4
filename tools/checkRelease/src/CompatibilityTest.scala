package undercroft.tools.publish

import com.typesafe.tools.mima.lib.MiMaLib
import java.util.jar.{JarFile, JarOutputStream}
import scala.jdk.CollectionConverters.*
import scala.util.Using

/** Compares each library with its earlier releases by MiMa. The build passes the jars in
  * environment variables: `PREVIOUS_memory=<jars>`, a class path, which is empty before the first
  * release.
  */
class CompatibilityTest extends undercroft.tools.Suite:

  private def jarOf(module: String): os.Path =
    os.Path(sys.env(s"PUBLISHED_$module").takeWhile(_ != ':'))

  /** The changes from `previous` to `current` that break linking. */
  private def problems(previous: os.Path, current: os.Path): Seq[String] =
    val classPath =
      System.getProperty("java.class.path").nn.split(java.io.File.pathSeparatorChar).toSeq
    MiMaLib(classPath.map(java.io.File(_)))
      .collectProblems(previous.toIO, current.toIO, Nil)
      .map(_.description("current"))

  for case (s"PREVIOUS_$module", jars) <- sys.env.toVector.sorted do
    for previous <- jars.split(java.io.File.pathSeparatorChar).filter(_.nonEmpty).map(os.Path(_)) do
      test(s"programs that were compiled against ${previous.last} link with this $module"):
        assertEquals(problems(previous, jarOf(module)), Nil)

  private val folder = FunFixture[os.Path](_ => os.temp.dir(), os.remove.all(_))

  folder.test("MiMa reports a removed class, and reports nothing for equal jars"): folder =>
    val jar = jarOf("memory")
    assertEquals(problems(jar, jar), Nil)
    val removed = "undercroft/memory/Allocator"
    Using.Manager: use =>
      val source = use(JarFile(jar.toIO))
      val target = use(JarOutputStream(os.write.outputStream(folder / "less.jar")))
      val (classes, rest) =
        source.entries.asScala.toVector.partition(_.getName.startsWith(s"$removed."))
      assert(classes.nonEmpty)
      for entry <- rest do
        target.putNextEntry(entry)
        source.getInputStream(entry).transferTo(target)
        target.closeEntry()
    .get
    val messages = problems(jar, folder / "less.jar")
    assert(messages.exists(_.contains("undercroft.memory.Allocator")), messages)
end CompatibilityTest

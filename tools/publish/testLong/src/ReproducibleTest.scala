package undercroft.tools.publish

import java.security.MessageDigest
import java.util.HexFormat
import scala.concurrent.duration.*

/** Builds two modules, one in Scala and one in Java, in two folders. */
class ReproducibleTest extends undercroft.tools.Suite:
  override def munitTimeout: Duration = 60.minutes

  private val modules = Seq("memory", "file.format")
  private val kinds = Seq("jar", "sourceJar", "docJar", "pom")

  /** The checksum of each file that a module publishes. */
  private def checksums(workspace: Workspace): Map[String, String] =
    val names = for module <- modules; kind <- kinds yield s"$module.$kind"
    workspace.mill(names.mkString("{", ",", "}")): Unit
    names.map { name =>
      val result = os.read(workspace.folder / "out" / os.RelPath(name.replace('.', '/') + ".json"))
      val path = result.linesIterator.collectFirst { case s"""$_"value": "$ref"$_""" => ref }
        .getOrElse(fail(result))
      val file = workspace.folder / "out" / os.RelPath(path.split("/out/").last)
      val hash = MessageDigest.getInstance("SHA-256").nn.digest(os.read.bytes(file)).nn
      name -> HexFormat.of.nn.formatHex(hash).nn
    }.toMap

  test("two folders build the same jars, sources, docs and POMs"):
    val folders = Seq("one", "a-longer-name").map(name => os.temp.dir(prefix = name))
    try
      val Seq(first, second) = folders.map(folder => checksums(Workspace.copy(folder))): @unchecked
      assertEquals(first.size, modules.size * kinds.size)
      assertEquals(second, first)
    finally folders.foreach(os.remove.all(_))

  test("an upload is refused while the settings have placeholders"):
    val folder = os.temp.dir(prefix = "placeholders")
    try
      val error = intercept[IllegalStateException]:
        Workspace.copy(folder).mill("{memory,bom}.publishArtifacts")
      val refusal = "settings.mill is not ready: url is a placeholder: https://undercroft.example"
      assert(error.getMessage.nn.contains(refusal), error.getMessage)
    finally os.remove.all(folder)
end ReproducibleTest

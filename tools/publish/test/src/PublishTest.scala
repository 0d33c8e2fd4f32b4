package undercroft.tools.publish

import java.util.jar.JarFile
import scala.jdk.CollectionConverters.*
import scala.xml.{Elem, XML}

/** Checks the jars and POMs of the libraries. The build passes their paths in environment
  * variables: `PUBLISHED_memory=<jar>:<pom>`.
  */
class PublishTest extends undercroft.tools.Suite:

  private val modules = sys.env.toVector.collect { case (s"PUBLISHED_$module", s"$jar:$pom") =>
    (module, os.Path(jar), os.Path(pom))
  }.sortBy(_._1)

  private def manifest(jar: os.Path, name: String): String =
    val file = JarFile(jar.toIO)
    try String.valueOf(file.getManifest.nn.getMainAttributes.nn.getValue(name))
    finally file.close()

  /** The group and the name of each dependency. */
  private def dependencies(pom: Elem): Set[String] =
    (pom \ "dependencies" \ "dependency")
      .map(dependency => (dependency \ "groupId").text + ":" + (dependency \ "artifactId").text)
      .toSet

  /** The libraries of others that modules depend on. The core depends on none. */
  private val doors = Map(
    "thrift" -> Set("org.apache.thrift:libthrift"),
    "actor.testkit" -> Set("org.scalameta:munit_3"),
    "arrow" -> Set("org.apache.arrow:arrow-format"),
    "duckdb" -> Set("org.duckdb:duckdb_jdbc"),
    "spark" -> Set("org.apache.spark:spark-sql_2.13")
  )

  /** Whether a module is plain Java, whose artifact has no Scala version in its name. */
  private def inJava(module: String): Boolean = Set("file.format", "spark")(module)

  test("memory, struct, actor, its testkit, testkit and thrift are published"):
    assertEquals(
      Set("memory", "struct", "actor", "actor.testkit", "testkit", "thrift") -- modules.map(_._1),
      Set.empty[String]
    )

  for (module, jar, pomFile) <- modules do
    lazy val pom = XML.loadFile(pomFile.toIO)

    test(s"the POM of $module has its name, its licence and its version scheme"):
      assertEquals((pom \ "groupId").text, "dev.undercroft")
      val suffix = if inJava(module) then "" else "_3"
      assertEquals((pom \ "artifactId").text, s"undercroft-${module.replace('.', '-')}$suffix")
      assertEquals((pom \\ "license" \ "name").text, "Apache License 2.0")
      assertEquals((pom \ "properties" \ "info.versionScheme").text, "early-semver")

    test(s"the manifest of $module has its Automatic-Module-Name"):
      assertEquals(manifest(jar, "Automatic-Module-Name"), s"undercroft.$module")

    test(s"$module depends on the Scala library, Undercroft and its integration's library only"):
      val others = dependencies(pom)
        .filterNot(name =>
          name.startsWith("dev.undercroft:") || name == "org.scala-lang:scala-library"
        )
      assertEquals(others, doors.getOrElse(module, Set.empty[String]))
      val ours = dependencies(pom) -- others
      if inJava(module) then
        assert(ours.subsetOf(Set("dev.undercroft:undercroft-file-format")), ours)

    test(s"the jar of $module contains its own classes only"):
      val file = JarFile(jar.toIO)
      val classes =
        try file.entries.nn.asScala.map(_.getName.nn).filter(_.endsWith(".class")).toVector
        finally file.close()
      assert(classes.nonEmpty)
      val folder = s"undercroft/${module.replace('.', '/')}/"
      assertEquals(classes.filterNot(_.startsWith(folder)), Vector.empty[String])
  end for
end PublishTest

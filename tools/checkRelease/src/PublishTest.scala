package undercroft.tools.publish

import java.time.LocalDateTime
import java.util.jar.JarFile
import scala.jdk.CollectionConverters.*
import scala.xml.{Elem, XML}
import undercroft.tools.JarFolder

/** Checks the jars and POMs of the libraries. The build passes their paths in environment
  * variables: `PUBLISHED_memory=<jar>:<pom>:<sources>:<bill of materials>`.
  */
class PublishTest extends undercroft.tools.Suite:

  private val modules = sys.env.toVector.collect {
    case (s"PUBLISHED_$module", s"$jar:$pom:$sources:$_") =>
      (module, os.Path(jar), os.Path(pom), os.Path(sources))
  }.sortBy(_._1)

  private def variable(name: String): String =
    sys.env.getOrElse(name, fail(s"the build passes no $name"))

  /** The files of a jar, by name. */
  private def entries(jar: os.Path): Map[String, Array[Byte]] =
    val file = JarFile(jar.toIO)
    try
      file.entries.asScala.filterNot(_.isDirectory)
        .map(entry => entry.getName -> file.getInputStream(entry).readAllBytes()).toMap
    finally file.close()

  private def names(jar: os.Path): Vector[String] = entries(jar).keys.toVector

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
    "buffer.netty" -> Set("io.netty:netty-transport"),
    "thrift" -> Set("org.apache.thrift:libthrift"),
    "actor.opentelemetry" -> Set(
      "io.opentelemetry:opentelemetry-api",
      "io.opentelemetry:opentelemetry-sdk-metrics" // provided
    ),
    "actor.slf4j" -> Set("org.slf4j:slf4j-api"),
    "actor.testkit" -> Set("org.scalameta:munit_3"),
    "arrow" -> Set("org.apache.arrow:arrow-format"),
    "compression" -> Set(
      "com.github.luben:zstd-jni",
      "org.apache.commons:commons-compress"
    ),
    "duckdb" -> Set("org.duckdb:duckdb_jdbc"),
    "pekko" -> Set("org.apache.pekko:pekko-cluster-sharding-typed_3"),
    "spark" -> Set("org.apache.spark:spark-sql_2.13")
  )

  /** Whether a module is plain Java, whose artifact has no Scala version in its name. */
  private def inJava(module: String): Boolean =
    Set("compression", "file.format", "spark")(module)

  test("memory, struct, actor, its testkit, testkit and thrift are published"):
    assertEquals(
      Set("memory", "struct", "actor", "actor.testkit", "testkit", "thrift") -- modules.map(_._1),
      Set.empty[String]
    )

  for (module, jar, pomFile, sources) <- modules do
    lazy val pom = XML.loadFile(pomFile.toIO)

    test(s"the POM of $module has its name, its licence and its version scheme"):
      assertEquals((pom \ "groupId").text, "dev.undercroft")
      val suffix = if inJava(module) then "" else "_3"
      assertEquals((pom \ "artifactId").text, s"undercroft-${module.replace('.', '-')}$suffix")
      assertEquals((pom \\ "license" \ "name").text, "Apache License 2.0")
      assertEquals((pom \ "properties" \ "info.versionScheme").text, "early-semver")

    test(s"the POM of $module has the elements that Maven Central requires"):
      for
        path <- Seq(
          "name",
          "description",
          "url",
          "licenses/license/url",
          "developers/developer/name",
          "scm/url",
          "scm/connection",
          "scm/developerConnection"
        )
      do
        val found = path.split('/').foldLeft(pom: scala.xml.NodeSeq)(_ \ _)
        assert(found.text.trim.nn.nonEmpty, path)

    test(s"the jars of $module contain the licence and the notice"):
      val legal = Set("META-INF/LICENSE", "META-INF/NOTICE")
      for file <- Seq(jar, sources) do
        assertEquals(legal -- names(file), Set.empty[String], file.toString)

    test(s"the sources jar of $module has each source at the path of its package"):
      val files = names(sources).filterNot(_.startsWith("META-INF/"))
      assert(files.nonEmpty)
      val folder = s"undercroft/${module.replace('.', '/')}/"
      assertEquals(files.filterNot(_.startsWith(folder)), Vector.empty[String])
      for (name, bytes) <- entries(sources) if files.contains(name) do
        val path = JarFolder.sourcePath(name.split('/').last, String(bytes, "UTF-8"))
        assertEquals(path.toString, name)

    test(s"the jars of $module contain neither a time nor a folder of this machine"):
      val workspace = variable("UNDERCROFT")
      for file <- Seq(jar, sources) do
        for (name, bytes) <- entries(file) do
          assert(!String(bytes, "ISO-8859-1").contains(workspace), name)
        val opened = JarFile(file.toIO)
        try
          val times = opened.entries.nn.asScala.map(_.getTimeLocal.nn).toSet
          assertEquals(times, Set(LocalDateTime.of(1980, 2, 1, 0, 0, 0).nn))
        finally opened.close()

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
      val classes = names(jar).filter(_.endsWith(".class"))
      assert(classes.nonEmpty)
      val folder = s"undercroft/${module.replace('.', '/')}/"
      assertEquals(classes.filterNot(_.startsWith(folder)), Vector.empty[String])
  end for

  test("the bill of materials of versions lists every artifact"):
    val bom = XML.load(os.read.inputStream(os.Path(variable("UNDERCROFT_BOM"))))
    assertEquals((bom \ "packaging").text, "pom")
    assertEquals((bom \ "artifactId").text, "undercroft-bom")
    val managed = (bom \ "dependencyManagement" \ "dependencies" \ "dependency")
      .map(entry => (entry \ "artifactId").text -> (entry \ "version").text)
      .toMap
    val published = modules.map { (_, _, pomFile, _) =>
      val pom = XML.loadFile(pomFile.toIO)
      (pom \ "artifactId").text -> (pom \ "version").text
    }.toMap
    assertEquals(managed, published)

  test("the jar of the exchange contains the name and the licence of every library in it"):
    val jar = os.Path(variable("UNDERCROFT_EXCHANGE_JAR"))
    val files = entries(jar)
    val page = String(files("META-INF/THIRD-PARTY.md"), "UTF-8").linesIterator.toVector
    val libraries = variable("UNDERCROFT_EXCHANGE_LIBRARIES").split(' ').toVector
    assert(libraries.exists(_.startsWith("org.duckdb:duckdb_jdbc:")), libraries)
    for library <- libraries do
      val row = page.find(_.startsWith(s"| $library | "))
      assert(row.exists(_.length > s"| $library |  |".length), s"$library: $row")
    assert(files.contains("META-INF/LICENSE"))
    val texts = files.keySet.filter(_.startsWith("META-INF/licenses/"))
    assert(texts.exists(_.contains("/fastcsv-")), texts)
end PublishTest

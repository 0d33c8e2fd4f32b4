package undercroft.tools.publish

import org.cyclonedx.Version
import org.cyclonedx.model.{Bom, Component as Part}
import org.cyclonedx.parsers.JsonParser
import scala.jdk.CollectionConverters.*
import undercroft.tools.Component

/** Checks the bills of materials of the libraries, whose paths the build passes as to
  * `PublishTest`.
  */
class SbomTest extends undercroft.tools.Suite:

  private val boms = sys.env.toVector
    .collect { case (s"PUBLISHED_$module", s"$_:$_:$_:$file") => (module, java.io.File(file)) }
    .sortBy(_._1)

  private def errors(text: String): Vector[String] =
    JsonParser().validate(text, Version.VERSION_16).nn.asScala.map(_.getMessage.nn).toVector

  private val library =
    Component(
      "org.acme",
      "lamp",
      "1.0",
      os.temp("wax"),
      "",
      Seq("MIT" -> ""),
      Seq("org.acme:wick:2.0")
    )

  /** The components of a bill, whose list is absent if there are none. */
  private def components(bom: Bom): Vector[Part] =
    Option(bom.getComponents).fold(Vector.empty[Part])(_.asScala.toVector)

  test("every library has a bill of materials"):
    assert(boms.size >= 13, boms.map(_._1))

  test("CycloneDX's validator reports a field that its schema does not know"):
    assert(errors("""{"bomFormat": "CycloneDX", "specVersion": "1.6", "lamp": 1}""").nonEmpty)

  for (module, file) <- boms do
    test(s"the bill of materials of $module conforms to CycloneDX's schema"):
      assertEquals(errors(os.read(os.Path(file))), Vector.empty[String])

    test(s"the bill of materials of $module names the module, and the licence of every component"):
      val bom = JsonParser().parse(file).nn
      val main = bom.getMetadata.nn.getComponent.nn
      assert(main.getName.nn.startsWith(s"undercroft-${module.replace('.', '-')}"), main.getName)
      for component <- components(bom) do
        val choice = Option(component.getLicenses)
        assert(choice.exists(!_.getLicenses.nn.isEmpty), component.getPurl)

  test("the bill of materials of thrift contains libthrift and Undercroft's own modules"):
    val (_, file) = boms.find(_._1 == "thrift").get
    val names = components(JsonParser().parse(file).nn).map(_.getName.nn).toSet
    val expected = Set("libthrift", "undercroft-buffer_3", "undercroft-memory_3", "scala-library")
    assertEquals(expected -- names, Set.empty[String])

  test("the same libraries make the same bill of materials"):
    val libraries = Seq(library, library.copy(name = "wick", version = "2.0"))
    val text = Component.bill(libraries)
    assertEquals(Component.bill(libraries), text)
    assertEquals(errors(text), Vector.empty[String])
    assert(text.contains("pkg:maven/org.acme/wick@2.0?type=jar"), text)
end SbomTest

package undercroft.tools.sbom

import java.nio.charset.StandardCharsets.UTF_8
import java.util.UUID
import org.cyclonedx.Version
import org.cyclonedx.generators.BomGeneratorFactory
import org.cyclonedx.model.{Bom, Component, Dependency, LicenseChoice, License, Metadata}
import org.cyclonedx.util.BomUtils
import scala.jdk.CollectionConverters.*
import undercroft.tools.ThirdParty

/** Writes the bill of materials of the first library, which consists of all others. Dependencies
  * are `group:name:version`. The same libraries make the same text: there is no time in it, and the
  * serial number is computed from the rest.
  */
object Sbom:
  val schema: Version = Version.VERSION_16

  def of(libraries: Seq[ThirdParty]): String =
    val bom = Bom()
    val metadata = Metadata()
    metadata.setTimestamp(null)
    metadata.setComponent(component(libraries.head))
    bom.setMetadata(metadata)
    bom.setComponents(libraries.tail.sortBy(_.purl).map(component).asJava)
    val purls = libraries.map(library => library.id -> library.purl).toMap
    val edges = libraries.map { library =>
      val edge = Dependency(library.purl)
      for purl <- library.dependencies.flatMap(purls.get).sorted do
        edge.addDependency(Dependency(purl))
      edge
    }
    bom.setDependencies(edges.asJava)
    bom.setSerialNumber(s"urn:uuid:${UUID.nameUUIDFromBytes(json(bom).getBytes(UTF_8))}")
    json(bom) + "\n"

  private def json(bom: Bom): String =
    BomGeneratorFactory.createJson(schema, bom).nn.toJsonString(true).nn

  private def component(library: ThirdParty): Component =
    val component = Component()
    component.setType(Component.Type.LIBRARY)
    component.setGroup(library.group)
    component.setName(library.name)
    component.setVersion(library.version)
    component.setPurl(library.purl)
    component.setBomRef(library.purl)
    if library.description.nonEmpty then component.setDescription(library.description)
    component.setHashes(BomUtils.calculateHashes(java.io.File(library.jar), schema))
    if library.licences.nonEmpty then
      val choice = LicenseChoice()
      for found <- library.licences do
        val license = License()
        if found.name == "Apache-2.0" || found.url.contains("apache.org/licenses/LICENSE-2.0") then
          license.setId("Apache-2.0")
        else if found.name.matches("(The )?MIT( License)?") then license.setId("MIT")
        else license.setName(found.name)
        if found.url.nonEmpty then license.setUrl(found.url)
        choice.addLicense(license)
      component.setLicenses(choice)
    component
  end component
end Sbom

/** Reads libraries as JSON from the first file and writes their bill of materials to the second. */
@main def writeSbom(libraries: String, target: String): Unit =
  val read = upickle.default.read[Seq[ThirdParty]](os.read(os.Path(libraries)))
  os.write.over(os.Path(target), Sbom.of(read))

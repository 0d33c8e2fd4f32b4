package undercroft.tools

import java.io.ByteArrayInputStream
import javax.xml.parsers.DocumentBuilderFactory
import org.w3c.dom.{Element, Node}

/** Maven Central's requirements for a bundle, as its documentation states them: checked before an
  * upload, which cannot be undone.
  */
object CentralRules:

  /** Every violation in a bundle, by file.
    *
    * @param dryRun
    *   allows snapshot versions
    */
  def violations(bundle: os.Path, dryRun: Boolean): Seq[String] =
    val files = FixedJar.entriesOf(bundle).toMap
    val (beside, main) = files.keys.toSeq.sorted.partition(isBeside)
    val poms = main.filter(_.endsWith(".pom"))
    val none = Option.when(poms.isEmpty)("the bundle has no POM").toSeq
    val lost = beside
      .filterNot(name => files.contains(name.take(name.lastIndexOf('.'))))
      .map(name => s"$name: the file that it belongs to is missing")
    val folders = poms.map(folderOf).toSet
    val stray = main.filterNot(name => folders(folderOf(name)))
      .map(name => s"$name: its folder has no POM")
    none ++ lost ++ stray ++ main.flatMap(ofFile(_, files)) ++
      poms.flatMap(ofPom(_, files, dryRun))

  private def isBeside(name: String) = Seq(".asc", ".md5", ".sha1").exists(name.endsWith)

  private def folderOf(name: String) = name.take(name.lastIndexOf('/'))

  /** The signature and the checksums of a file. */
  private def ofFile(name: String, files: Map[String, Array[Byte]]): Seq[String] =
    val sums = Seq(".md5" -> "MD5", ".sha1" -> "SHA-1").flatMap { case (suffix, algorithm) =>
      files.get(name + suffix) match
        case None => Some(s"$name: has no $suffix")
        case Some(sum) =>
          Option.when(String(sum, "UTF-8") != CentralBundle.checksum(algorithm, files(name)))(
            s"$name: $suffix is not its checksum"
          )
    }
    val signature = files.get(s"$name.asc") match
      case None => Some(s"$name: has no .asc")
      case Some(asc) =>
        Option.unless(String(asc, "UTF-8").startsWith("-----BEGIN PGP SIGNATURE-----"))(
          s"$name: .asc is not a signature"
        )
    sums ++ signature

  /** The contents of a POM, and the files that its packaging requires. */
  private def ofPom(pom: String, files: Map[String, Array[Byte]], dryRun: Boolean): Seq[String] =
    val builder = DocumentBuilderFactory.newInstance.nn.newDocumentBuilder.nn
    val root = builder.parse(ByteArrayInputStream(files(pom))).nn.getDocumentElement.nn
    val group = text(root, "groupId")
    val id = text(root, "artifactId")
    val version = text(root, "version")
    val expected = s"${group.replace('.', '/')}/$id/$version/$id-$version"
    val place = Option.unless(pom == s"$expected.pom")(s"$pom: its coordinates are $expected")
    val missing = required.filter(path => at(root, path.split('/').toList).forall(_.isEmpty))
      .map(path => s"$pom: <$path> is missing or empty")
    val versions = version +: dependencies(root).map(text(_, "version"))
    val snapshot = Option.when(!dryRun && versions.exists(_.endsWith("-SNAPSHOT")))(
      s"$pom: contains a snapshot version"
    )
    val unversioned = dependencies(root).filter(text(_, "version").isEmpty)
      .map(dependency => s"$pom: ${text(dependency, "artifactId")} has no version")
    val suffixes =
      if text(root, "packaging") == "pom" then Nil
      else Seq(".jar", "-sources.jar", "-javadoc.jar")
    val jars = suffixes.filterNot(suffix => files.contains(pom.stripSuffix(".pom") + suffix))
      .map(suffix => s"$pom: has no $suffix")
    place.toSeq ++ missing ++ snapshot ++ unversioned ++ jars
  end ofPom

  /** The elements that Central requires in a POM. */
  private val required = Seq(
    "groupId",
    "artifactId",
    "version",
    "name",
    "description",
    "url",
    "licenses/license/name",
    "licenses/license/url",
    "developers/developer/name",
    "scm/url",
    "scm/connection",
    "scm/developerConnection"
  )

  private def dependencies(root: Element): Seq[Element] =
    elements(root, "dependencies").flatMap(elements(_, "dependency")) ++
      elements(root, "dependencyManagement").flatMap(dependencies)

  /** The texts of all elements at a path. */
  private def at(element: Element, path: List[String]): Seq[String] = path match
    case Nil          => Seq(String.valueOf(element.getTextContent).trim.nn)
    case name :: rest => elements(element, name).flatMap(at(_, rest))

  private def text(element: Element, name: String): String =
    at(element, List(name)).headOption.getOrElse("")

  private def elements(element: Element, name: String): Seq[Element] =
    val children = element.getChildNodes.nn
    (0 until children.getLength).map(children.item(_): Node | Null).collect {
      case child: Element if child.getTagName == name => child
    }
end CentralRules

package undercroft.tools

import java.security.MessageDigest
import java.util.{HexFormat, UUID}

/** A library in a bill of materials: its coordinates, jar, licences, each a name and an address,
  * and direct dependencies, which are `group:name:version`.
  */
final case class Component(
    group: String,
    name: String,
    version: String,
    jar: os.Path,
    description: String,
    licences: Seq[(String, String)],
    dependencies: Seq[String]
):
  def id: String = s"$group:$name:$version"
  def purl: String = s"pkg:maven/$group/$name@$version?type=jar"

  /** The component in CycloneDX's format. */
  private def json: ujson.Obj =
    val hash =
      HexFormat.of.formatHex(MessageDigest.getInstance("SHA-256").digest(os.read.bytes(jar)))
    val choices = licences.map { (name, url) =>
      val license =
        if name == "Apache-2.0" || url.contains("apache.org/licenses/LICENSE-2.0") then
          ujson.Obj("id" -> "Apache-2.0")
        else if name.matches("(The )?MIT( License)?") then ujson.Obj("id" -> "MIT")
        else ujson.Obj("name" -> name)
      if url.nonEmpty then license("url") = url
      ujson.Obj("license" -> license)
    }
    ujson.Obj(
      "type" -> "library",
      "bom-ref" -> purl,
      "group" -> group,
      "name" -> name,
      "version" -> version,
      "description" -> description,
      "hashes" -> ujson.Arr(ujson.Obj("alg" -> "SHA-256", "content" -> hash)),
      "licenses" -> choices,
      "purl" -> purl
    )
  end json
end Component

object Component:
  /** The bill of materials of the first library, which consists of all others, in CycloneDX's
    * format. The same libraries make the same text: there is no time in it, and the serial number
    * is computed from the rest.
    */
  def bill(libraries: Seq[Component]): String =
    val purls = libraries.map(library => library.id -> library.purl).toMap
    val edges = libraries.map { library =>
      ujson.Obj(
        "ref" -> library.purl,
        "dependsOn" -> library.dependencies.flatMap(purls.get).distinct.sorted
      )
    }
    val bill = ujson.Obj(
      "bomFormat" -> "CycloneDX",
      "specVersion" -> "1.6",
      "version" -> 1,
      "metadata" -> ujson.Obj("component" -> libraries.head.json),
      "components" -> libraries.tail.sortBy(_.purl).map(_.json),
      "dependencies" -> edges
    )
    bill("serialNumber") = s"urn:uuid:${UUID.nameUUIDFromBytes(bill.render().getBytes("UTF-8"))}"
    bill.render(indent = 2) + "\n"

  /** A page of the libraries and their licences. */
  def page(libraries: Seq[Component]): String =
    val rows = libraries.distinctBy(_.id).sortBy(_.id).map { library =>
      val licences = library.licences.map((name, url) => s"$name $url".trim)
      s"| ${library.id} | ${licences.mkString("; ")} |"
    }
    s"""# Libraries in this jar
       |
       |The texts of licences and notices that a library's own jar contains are in `META-INF/licenses`.
       |
       || library | licence |
       ||---|---|
       |""".stripMargin + rows.mkString("", "\n", "\n")
end Component

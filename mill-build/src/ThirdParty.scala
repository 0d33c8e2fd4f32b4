package undercroft.tools

/** A resolved library of another project: its coordinates, jar, licences and direct dependencies,
  * which are `group:name:version`.
  */
final case class ThirdParty(
    group: String,
    name: String,
    version: String,
    jar: String,
    homePage: String,
    description: String,
    licences: Seq[ThirdParty.Licence],
    dependencies: Seq[String]
) derives upickle.default.ReadWriter:
  def id: String = s"$group:$name:$version"
  def purl: String = s"pkg:maven/$group/$name@$version?type=jar"

object ThirdParty:
  final case class Licence(name: String, url: String) derives upickle.default.ReadWriter

  /** A page of the libraries and their licences. */
  def page(libraries: Seq[ThirdParty]): String =
    val rows = libraries.distinctBy(_.id).sortBy(_.id).map { library =>
      val licences = library.licences.map(licence => s"${licence.name} ${licence.url}".trim)
      s"| ${library.id} | ${licences.mkString("; ")} |"
    }
    val head = Seq(
      "# Libraries in this jar",
      "",
      "The texts of licences and notices that a library's own jar contains are in `META-INF/licenses`.",
      "",
      "| library | licence |",
      "|---|---|"
    )
    (head ++ rows).mkString("", "\n", "\n")
end ThirdParty

package undercroft.docs

/** A section of the site.
  *
  * @param title
  *   as the table of contents shows it
  * @param pages
  *   paths below the repository, in order; a folder is all its pages, in the order in which its
  *   README.md links to them, and the README.md is the section's first page
  */
final case class SiteSection(title: String, pages: Seq[String]) derives CanEqual

/** The table of contents. */
object Contents:

  /** The front page. */
  val front = "README.md"

  val sections: Seq[SiteSection] = Seq(
    SiteSection("Tutorial", Seq("docs/tutorial.md")),
    SiteSection("How-to", Seq("docs/howto")),
    SiteSection("Guide", Seq("docs/guide")),
    SiteSection(
      "Integrations",
      Seq(
        "arrow/README.md",
        "duckdb/README.md",
        "pekko/README.md",
        "spark/README.md",
        "python/README.md"
      )
    ),
    SiteSection("Migration", Seq("docs/migration")),
    SiteSection(
      "Reference",
      Seq("docs/reference", "docs/faq.md", "docs/format.md", "SECURITY.md", "docs/limits.md")
    ),
    SiteSection("Design", Seq("docs/design")),
    SiteSection("Project", Seq("CHANGELOG.md", "CONTRIBUTING.md", "RELEASING.md"))
  )
end Contents

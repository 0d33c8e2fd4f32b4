package undercroft.docs

/** The pages of a repository as the root of a scaladoc site.
  *
  * @param sources
  *   the URL of the repository's files: what is not a page is linked to there
  */
final class Site(repository: os.Path, sources: String):

  private val front = page(os.SubPath(Contents.front), os.sub / "index.md")

  /** The sections that have pages, with these. */
  private val sections: Seq[(SiteSection, Seq[Page])] =
    for
      section <- Contents.sections
      pages = section.pages.flatMap(pagesAt(section, _))
      if pages.nonEmpty
    yield (section, pages)

  val pages: Seq[Page] = front +: sections.flatMap(_._2)

  private val targets = pages.map(page => page.source -> page.target).toMap

  private def page(source: os.SubPath, target: os.SubPath) =
    Page(source, target, os.read(repository / source))

  private def folderOf(section: SiteSection) = os.sub / section.title.toLowerCase

  private def pagesAt(section: SiteSection, path: String): Seq[Page] =
    val source = os.SubPath(path)
    if os.isFile(repository / source) then
      val name = if source.last == "README.md" then s"${(source / os.up).last}.md" else source.last
      Seq(page(source, folderOf(section) / name.toLowerCase))
    else if os.isDir(repository / source) then
      val index = page(source / "README.md", folderOf(section) / "index.md")
      val order = index.links.map(_.takeWhile(_ != '#')).filter(_.endsWith(".md")).distinct
      val names = os.list(repository / source).map(_.last).filter(_.endsWith(".md"))
      val (listed, rest) = names.filter(_ != "README.md").partition(order.contains)
      val ordered = listed.sortBy(order.indexOf(_)) ++ rest.sorted
      index +: ordered.map(name => page(source / name, folderOf(section) / name))
    else Seq()

  /** The link of a page as it is on the site. */
  def link(page: Page, target: String): String =
    val isElsewhere = target.contains(":") || target.startsWith("#")
    if isElsewhere then target
    else
      val (path, anchor) = target.span(_ != '#')
      val source = resolved(page.source / os.up, path.stripSuffix("/"))
      val candidates = Seq(source, source.map(_ / "README.md"))
      candidates.flatten.flatMap(targets.get).headOption match
        case Some(found) => s"${found.relativeTo(page.target / os.up)}$anchor"
        case None =>
          source match
            case Some(file) if os.exists(repository / file) => s"$sources/$file$anchor"
            case _ =>
              throw IllegalArgumentException(s"${page.source} links to $target: no such file")

  private def resolved(folder: os.SubPath, path: String): Option[os.SubPath] =
    val whole = os.Path(path, repository / folder)
    Option.when(whole.startsWith(repository))(whole.subRelativeTo(repository))

  /** The table of contents, in the form that scaladoc reads. */
  def sidebar: String =
    val lines =
      for (section, pages) <- sections yield
        val others = pages.filterNot(isIndex)
        Seq(
          s"  - title: ${quoted(section.title)}",
          s"    index: ${folderOf(section) / "index.md"}",
          s"    directory: ${folderOf(section)}",
          "    subsection:"
        ) ++ others.flatMap: page =>
          Seq(s"      - title: ${quoted(page.title)}", s"        page: ${page.target}")
    s"index: index.md\nsubsection:\n${lines.flatten.mkString("\n")}\n"

  private def isIndex(page: Page) = page.target.last == "index.md"

  /** The first page of a section that has none of its own: links to its pages. */
  private def indexOf(section: SiteSection, pages: Seq[Page]): Page =
    val links = pages.map(page => s"- [${page.title}](${page.target.last})")
    val target = folderOf(section) / "index.md"
    Page(target, target, (s"# ${section.title}" +: "" +: links).mkString("", "\n", "\n"))

  private def quoted(text: String) = s"\"${text.replace("\"", "'")}\""

  def write(target: os.Path): Unit =
    os.write.over(target / "sidebar.yml", sidebar, createFolders = true)
    def writePage(page: Page, text: String): Unit =
      os.write.over(target / "_docs" / page.target, text, createFolders = true)
    for page <- pages do writePage(page, page.withFrontMatter(link(page, _)))
    for (section, pages) <- sections if !pages.exists(isIndex) do
      val index = indexOf(section, pages)
      writePage(index, index.withFrontMatter(identity))
end Site

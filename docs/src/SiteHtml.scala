package undercroft.docs

import scala.util.matching.Regex

/** Completes the pages that scaladoc has made.
  *
  * A page loads nothing from another host: jQuery is a copy, and the playground and the diagrams of
  * class hierarchies, whose scripts are elsewhere, are left out. A page of text begins with its
  * title and can be printed. Each states its language, which the search's index needs. The front
  * page of the site is the README. The page of a package begins with a text.
  */
object SiteHtml:
  private val JQuery = "3.5.1" // the version that scaladoc's scripts are written for
  private val RemoteJQuery = s"https://code.jquery.com/jquery-$JQuery.min.js"
  private val Resource = s"/META-INF/resources/webjars/jquery/$JQuery/jquery.min.js"
  private val RemoteScript =
    """<script type="text/javascript" src="https?://[^"]*"[^>]*></script>""".r

  private val Content = """<div id="content" class="body-medium">"""
  private val Title = "<title>(.*?)</title>".r
  private val Reference = """ (href|src)="([^"#:]+)([#?][^"]*)?"""".r
  private val Header = """<div class="header-container-right">"""
  private val JavaBody = """<main role="main">"""
  private val PackageTitle = """<span class="micon pa"></span></span>\s*<h1[^>]*>(.*?)</h1>""".r
  private val Members = """<section id="members-list">"""

  private val Style =
    """.diagram-class { display: none }
      |.search-link { margin-right: 1em; color: inherit }
      |#search-page { max-width: 50em }
      |@media (min-width: 1468px) { #content > div:first-child { max-width: 940px } }
      |@media print {
      |  #header, #mobile-menu, #leftColumn, #footer, #scaladoc-searchBar, #toc, .floating-button,
      |  .breadcrumbs, .snippet .buttons { display: none !important }
      |  html, body, body > div, #main, #content { display: block !important; position: static
      |    !important; overflow: visible !important; height: auto !important; max-height: none
      |    !important; width: auto !important; margin: 0 !important; padding: 0 !important }
      |  pre, code { white-space: pre-wrap !important; overflow: visible !important }
      |  pre, tr, h1, h2, h3 { break-inside: avoid }
      |  h1, h2, h3 { break-after: avoid }
      |}
      |""".stripMargin

  /** Rewrites all pages of a site.
    *
    * @param packages
    *   the text of each package
    * @param isSearched
    *   whether each page has a link to the page of the search
    */
  def complete(site: os.Path, packages: Map[String, String], isSearched: Boolean): Unit =
    val script = site / "scripts" / "jquery.min.js"
    val source = getClass.getResourceAsStream(Resource)
    if source == null then throw IllegalStateException(s"no resource $Resource")
    try os.write.over(script, source.nn)
    finally source.nn.close()
    os.write.over(site / "styles" / "undercroft.css", Style)
    for page <- os.walk(site).filter(_.ext == "html") do
      val path = page.relativeTo(site)
      // A class and its companion are found once.
      val hasClass = page.last.endsWith("$.html") &&
        os.exists(page / os.up / s"${page.baseName.stripSuffix("$")}.html")
      val html = completed(os.read(page), path, isSearched, isFound = isSearched && !hasClass)
      os.write.over(
        page,
        if path.segments.head == "undercroft" then described(html, packages) else html
      )
    val front = moved(os.read(site / "docs" / "index.html"))
    if isSearched then os.write.over(site / "search.html", searchPage(front))
    os.write.over(site / "index.html", front)
  end complete

  private def completed(
      html: String,
      path: os.RelPath,
      isSearched: Boolean,
      isFound: Boolean
  ): String =
    val root = "../" * (path.segments.size - 1)
    val local = RemoteScript.replaceAllIn(
      html.replace(RemoteJQuery, s"${root}scripts/jquery.min.js").nn,
      ""
    )
    val styled = local.replace("<html data-", "<html lang=\"en\" data-").nn.replace(
      "</head>",
      s"""<link rel="stylesheet" href="${root}styles/undercroft.css"></link></head>"""
    ).nn
    val searchLink = if isSearched then Seq(linkTo(s"${root}search.html", "Search")) else Nil
    val links = searchLink :+ linkTo(s"${root}java/index.html", "Java API")
    val linked = styled.replace(Header, Header + links.mkString).nn
    val searched =
      if !isFound then linked
      else
        Seq(Content, JavaBody).foldLeft(linked): (text, body) =>
          text.replace(body, body.replace(">", " data-pagefind-body>").nn)
    if path.segments.head == "docs" then titled(searched) else searched
  end completed

  private def linkTo(target: String, text: String) =
    s"""<a class="search-link" href="$target">$text</a>"""

  /** The page of a package, with its text above its members. */
  private def described(html: String, packages: Map[String, String]): String =
    val text =
      PackageTitle.findFirstMatchIn(html).flatMap(title =>
        PackageTexts(packages, title.group(1).nn)
      )
    val start = html.indexOf(Members)
    text.filter(_ => start >= 0).fold(html): words =>
      html.patch(start, s"""<p class="package-text">$words</p>\n""", 0)

  /** A page of text that begins with its title: scaladoc shows it in the browser's tab only. */
  private def titled(html: String): String =
    val title = Title.findFirstMatchIn(html).fold("")(_.group(1).nn)
    val start = html.indexOf("<div>", html.indexOf("id=\"content\""))
    if start < 0 || html.contains("<h1") then html
    else html.patch(start + "<div>".length, s"""<h1 class="h600">$title</h1>\n""", 0)

  /** The page `docs/index.html` as a page of the site's root. */
  private def moved(html: String): String =
    Reference
      .replaceAllIn(
        html,
        link =>
          val target = os.RelPath("docs") / os.RelPath(link.group(2).nn)
          val rest = Option(link.group(3)).getOrElse("")
          Regex.quoteReplacement(s""" ${link.group(1)}="$target$rest"""")
      )
      .replace("data-pathToRoot=\"../\"", "data-pathToRoot=\"\"").nn
      .replace("var pathToRoot = \"../\"", "var pathToRoot = \"\"").nn

  /** A page with the search in place of the front page's text. */
  private def searchPage(front: String): String =
    val start = front.indexOf(Content.dropRight(1))
    val end = front.lastIndexOf("</body>")
    val search =
      """<div id="content" class="body-medium"><div id="search-page">
        |<h1 class="h600">Search</h1><div id="search"></div>
        |<link href="pagefind/pagefind-ui.css" rel="stylesheet">
        |<script src="pagefind/pagefind-ui.js"></script>
        |<script>new PagefindUI({ element: "#search", showImages: false, autofocus: true })</script>
        |</div></div></div></div>""".stripMargin
    Title.replaceFirstIn(front.take(start) + search + front.drop(end), "<title>Search</title>")
end SiteHtml

package undercroft.docs

/** Writes the site's pages, or rewrites the pages that scaladoc has made from them. */
object SiteMain:
  def main(args: Array[String]): Unit = args.toList match
    case List("pages", repository, target, url) =>
      Site(os.Path(repository), url).write(os.Path(target))
    case List("complete", repository, site, search) =>
      val texts =
        PackageTexts.of(os.read(os.Path(repository) / "docs" / "reference" / "modules.md"))
      SiteHtml.complete(os.Path(site), texts, search.toBoolean)
    case _ =>
      System.err.println(
        "usage: pages REPOSITORY TARGET URL-OF-THE-SOURCES, or complete REPOSITORY SITE SEARCHED"
      )
      sys.exit(2)

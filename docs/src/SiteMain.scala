package undercroft.docs

/** Writes the site's pages, or rewrites the pages that scaladoc has made from them. */
object SiteMain:
  def main(args: Array[String]): Unit = args.toList match
    case List("pages", repository, target, url) =>
      Site(os.Path(repository), url).write(os.Path(target))
    case List("scripts", site) => LocalScripts.install(os.Path(site))
    case _ =>
      System.err.println("usage: pages REPOSITORY TARGET URL-OF-THE-SOURCES, or scripts SITE")
      sys.exit(2)

package undercroft.docs

/** Writes the site's pages: REPOSITORY TARGET URL-OF-THE-SOURCES. */
object Main:
  def main(args: Array[String]): Unit = args.toList match
    case List(repository, target, url) => Site(os.Path(repository), url).write(os.Path(target))
    case _ =>
      System.err.println("usage: REPOSITORY TARGET URL")
      sys.exit(2)

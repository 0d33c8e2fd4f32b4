package undercroft.docs

/** Scaladoc's pages load jQuery from a content delivery network, and a playground that no example
  * here uses. The site has its own copy of the first, and does without the second: a page works
  * offline and tells no other host about its readers. Only the diagrams of a class's hierarchy
  * still load their scripts from elsewhere, when a reader opens one.
  */
object LocalScripts:
  private val JQuery = "3.5.1" // the version that scaladoc's scripts are written for
  private val Remote = s"https://code.jquery.com/jquery-$JQuery.min.js"
  private val Resource = s"/META-INF/resources/webjars/jquery/$JQuery/jquery.min.js"
  private val Playground =
    """<script type="text/javascript" src="https://scastie.scala-lang.org/embedded.js" defer="true"></script>"""

  /** Rewrites all pages of a site. */
  def install(site: os.Path): Unit =
    val script = site / "scripts" / "jquery.min.js"
    val source = getClass.getResourceAsStream(Resource)
    if source == null then throw IllegalStateException(s"no resource $Resource")
    try os.write.over(script, source.nn)
    finally source.nn.close()
    for page <- os.walk(site).filter(_.ext == "html") do
      val local = script.relativeTo(page / os.up).toString
      val text = os.read(page)
      os.write.over(page, text.replace(Remote, local).nn.replace(Playground, "").nn)
end LocalScripts

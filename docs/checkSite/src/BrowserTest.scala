package undercroft.docs

import com.sun.net.httpserver.{HttpServer, SimpleFileServer}
import java.net.{InetAddress, InetSocketAddress, URLDecoder}
import java.util.concurrent.{CountDownLatch, Executors, TimeUnit}
import undercroft.tools.Requirement

/** The built site: every link, and some pages in headless Chromium. */
class BrowserTest extends undercroft.tools.Suite:
  private val site = os.Path(sys.env("UNDERCROFT_SITE"))

  private val Reference = """(?:href|src)="([^"]*)"""".r
  private val Id = """ id="([^"]*)"""".r

  private lazy val pages: Map[os.Path, String] =
    os.walk(site).filter(_.ext == "html").map(page => page -> os.read(page)).toMap

  private def ids(page: os.Path): Set[String] =
    pages.get(page).fold(Set.empty)(text => Id.findAllMatchIn(text).map(_.group(1).nn).toSet)

  /** The links to files of the site, as they are written, with the file and the anchor of each. */
  private def links(page: os.Path): Seq[(String, os.Path, String)] =
    for
      link <- Reference.findAllMatchIn(pages(page)).map(_.group(1).nn).toSeq.distinct
      if link.nonEmpty && !link.startsWith("//") && !link.takeWhile(_ != '/').contains(":")
      (path, anchor) = link.span(_ != '#')
    yield
      val decoded = URLDecoder.decode(path.takeWhile(_ != '?'), "UTF-8").nn
      val file = if decoded.isEmpty then page else os.Path(decoded, page / os.up)
      (link, file, anchor.drop(1))

  private lazy val ownSite = Site(os.Path(sys.env("UNDERCROFT")), "https://sources.example")

  private def isText(page: os.Path) = page.startsWith(site / "docs")

  test("every page of the repository is on the site"):
    val missing =
      ownSite.pages
        .map(page => site / "docs" / page.target / os.up / s"${page.target.baseName}.html")
        .filterNot(os.exists)
    assertEquals(missing, Seq())

  test("no link leads to a file or an anchor that does not exist"):
    val dead =
      for
        page <- pages.keys.toSeq.sorted
        (link, file, anchor) <- links(page)
        exists = if os.isDir(file) then os.exists(file / "index.html") else os.exists(file)
        // The anchors of the API are made by its generator.
        isDead = !exists || (anchor.nonEmpty && isText(page) && isText(file) && !ids(file)(anchor))
        if isDead
      yield s"${page.relativeTo(site)}: $link"
    assertEquals(dead, Seq())

  private val Heading = """<h1[^>]*>(.+?)</h1>""".r
  private val Loaded =
    """<(?:script|link|img|iframe)\b[^>]* (?:src|href)="((?:https?:)?//[^"]*)"""".r

  test("every page of text has its title as its heading"):
    val wrong =
      ownSite.pages.flatMap: page =>
        val file = site / "docs" / page.target / os.up / s"${page.target.baseName}.html"
        val headings =
          Heading.findAllMatchIn(pages(file)).map(_.group(1).nn.replace("&apos;", "'").nn).toSeq
        val expected = page.title.replace("\"", "'")
        Option.when(headings != Seq(expected))(s"${page.source}: ${headings.mkString(", ")}")
    assertEquals(wrong, Seq())

  test("the front page of the site is the README"):
    val front = pages(site / "index.html")
    assert(front.contains("<h1 class=\"h600\">Undercroft</h1>"))
    assert(front.contains("case class Trade("), "the README's program is missing")
    assert(front.contains("href=\"docs/guide/index.html\""), "the link to the guide is missing")

  test("no page loads a script, a style, a picture or a font of another host"):
    val remote =
      for (page, text) <- pages.toSeq; link <- Loaded.findAllMatchIn(text)
      yield s"${page.relativeTo(site)}: ${link.group(1)}"
    assertEquals(remote, Seq())
    val styles = os.walk(site).filter(_.ext == "css")
    assert(styles.nonEmpty)
    val imports = """(?:url\(\s*["']?|@import\s+["'])(?:https?:)?//""".r
    assertEquals(
      styles.filter(style => imports.findFirstIn(os.read(style)).isDefined),
      IndexedSeq()
    )

  test("no code of a page is indented as a whole"):
    val indented = pages.toSeq.filter((page, _) => isText(page)).collect:
      case (page, text) if text.contains("<span class=\"hideable\">  ") => page.relativeTo(site)
    assertEquals(indented, Seq())

  test("every page states its language"):
    val without = pages.filterNot(_._2.contains("<html lang=\"en\"")).keys.map(_.relativeTo(site))
    assertEquals(without.toSeq, Seq())

  test("every page has the style for printing"):
    val without = pages.filterNot(_._2.contains("styles/undercroft.css")).keys.toSeq
    assertEquals(without, Seq())
    assert(os.read(site / "styles" / "undercroft.css").contains("@media print"))

  test("the API has every module, and nothing internal"):
    for module <- Seq("memory", "struct", "buffer", "actor", "file", "arrow", "duckdb", "pekko") do
      assert(os.exists(site / "undercroft" / s"$module.html"), module)
    for module <- Seq("file/format", "compression", "spark") do
      assert(os.exists(site / "java" / "undercroft" / os.SubPath(module) / "package-summary.html"))
    assertEquals(pages.keys.filter(_.segments.contains("internal")).toSeq, Seq())

  test("the page of every package begins with a text"):
    val packages = pages.toSeq.filter((page, text) =>
      page.startsWith(site / "undercroft") && text.contains(
        "<span class=\"micon pa\"></span></span>\n <h1"
      )
    )
    assert(packages.sizeIs > 15, packages.map(_._1))
    val without = packages.filterNot(_._2.contains("<p class=\"package-text\">"))
    assertEquals(without.map(_._1.relativeTo(site)), Seq())
    val inJava = pages.keys.filter(_.last == "package-summary.html").toSeq
    assertEquals(inJava.size, 3)
    assertEquals(inJava.filterNot(pages(_).contains("<div class=\"block\">")), Seq())

  /** A page with frames of a width that have other pages, and that prints the width each needs. */
  private def frames(pages: Seq[String], width: Int): Array[Byte] =
    s"""<!doctype html><body style="margin: 0"><script>
       |let left = ${pages.size};
       |for (const page of ${pages.mkString("['", "', '", "']")}) {
       |  const frame = document.createElement('iframe');
       |  frame.style = 'width: ${width}px; height: 900px; border: 0';
       |  frame.onload = () => {
       |    const root = frame.contentDocument.documentElement;
       |    console.info(`seen: $${page} $${root.scrollWidth};`);
       |    if (--left === 0) fetch('/done');
       |  };
       |  frame.src = '/' + page;
       |  document.body.append(frame);
       |}</script>$waiting""".stripMargin.getBytes

  /** A page that prints, for each term, the first three pages that the search finds. */
  private def search(terms: Seq[String]): Array[Byte] =
    s"""<!doctype html><script type="module">
       |const search = await import('/pagefind/pagefind.js');
       |for (const term of ${terms.mkString("['", "', '", "']")}) {
       |  const first = (await search.search(term)).results.slice(0, 3);
       |  const found = await Promise.all(first.map(result => result.data()));
       |  console.info('seen: ' + term + ': ' + found.map(page => page.url).join(' ') + ';');
       |}
       |fetch('/done');
       |</script>$waiting""".stripMargin.getBytes

  /** A part of a page that has loaded when the page's script has asked for `/done`: the browser
    * ends when the page has.
    */
  private val waiting = "<img alt=\"\" src=\"/waiting\">"
  private val blank = "<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>".getBytes

  /** Opens a page with this text on the site's server: the lines that it prints after `seen: `, and
    * the other lines of the browser's console.
    */
  private def opened(browser: os.Path, text: Array[Byte], dark: Boolean) =
    val server = HttpServer.create(InetSocketAddress(InetAddress.getLoopbackAddress, 0), 0).nn
    val _ = server.createContext("/", SimpleFileServer.createFileHandler(site.toNIO))
    def respond(path: String, kind: String, body: Array[Byte])(before: => Unit) =
      val _ = server.createContext(
        path,
        exchange =>
          before
          exchange.getResponseHeaders.nn.add("Content-Type", kind)
          exchange.sendResponseHeaders(200, body.length)
          exchange.getResponseBody.nn.write(body)
          exchange.close()
      )
    val isDone = CountDownLatch(1)
    respond("/frame", "text/html", text)(())
    respond("/done", "image/svg+xml", blank)(isDone.countDown())
    respond("/waiting", "image/svg+xml", blank)(isDone.await(1, TimeUnit.MINUTES): Unit)
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor())
    server.start()
    val folder = os.temp.dir()
    try
      val process = os
        .proc(
          browser,
          "--headless",
          "--no-sandbox",
          "--disable-gpu",
          s"--user-data-dir=${folder / "profile"}",
          s"--blink-settings=preferredColorScheme=${if dark then 0 else 1}",
          "--window-size=1600,1000",
          "--enable-logging=stderr",
          "--dump-dom",
          s"http://localhost:${server.getAddress.nn.getPort}/frame"
        )
        .spawn(stdout = folder / "dom", stderr = folder / "log")
      try
        val isOver = process.wrapped.waitFor(2, TimeUnit.MINUTES)
        assert(isOver, s"$browser did not end")
      finally process.destroy(shutdownGracePeriod = 0)
      val (seen, complaints) =
        os.read.lines(folder / "log").filter(_.contains(":CONSOLE")).partition(_.contains("seen: "))
      (seen.collect { case s"${_}seen: $line;${_}" => line }, complaints)
    finally
      server.stop(0)
      os.remove.all(folder)
    end try
  end opened

  for dark <- Seq(false, true) do
    test(s"pages need 400 pixels and print no error, ${if dark then "dark" else "light"}"):
      Requirement.CHROMIUM.require()
      val browser = os.Path(Requirement.chromium().get.nn.toAbsolutePath.nn)
      val wanted =
        Seq("index.html", "docs/index.html", "docs/guide/tables.html", "undercroft/memory.html")
      val (seen, complaints) = opened(browser, frames(wanted, 400), dark)
      assertEquals(complaints, IndexedSeq())
      val widths = seen.collect { case s"$page $width" => page -> width.toInt }.toMap
      assertEquals(widths.keySet, wanted.toSet)
      assertEquals(widths.filter((_, width) => width > 400), Map())

  /** Names that readers look for in the API, with the page of each. */
  private val names: Seq[(String, String)] = Seq(
    "Rows" -> "undercroft/struct",
    "Columns" -> "undercroft/struct",
    "Budget" -> "undercroft/memory/Budget",
    "ByteOutput" -> "undercroft/buffer/ByteOutput",
    "StructFile" -> "java/undercroft/file/format/StructFile",
    "UndercroftSource" -> "java/undercroft/spark/UndercroftSource"
  )

  private def file(source: String): String =
    ownSite.pages.find(_.source.toString == source).fold(s"no page $source"): page =>
      s"docs/${page.target / os.up / s"${page.target.baseName}.html"}"

  test("the search finds the page of each task, and types of the API, among the first three"):
    assume(os.exists(site / "pagefind"), "skipped: the site was built without pagefind")
    Requirement.CHROMIUM.require()
    val browser = os.Path(Requirement.chromium().get.nn.toAbsolutePath.nn)
    val terms = Task.all.map(task => task.search -> file(task.source)) ++ names
    assert(terms.sizeIs >= 25)
    val (seen, _) = opened(browser, search(terms.map(_._1)), dark = false)
    val found = seen.collect { case s"$term: $pages" => term -> pages }.toMap
    val missing = terms.filterNot((term, page) => found.get(term).exists(_.contains(page)))
    val shown = missing.map((term, page) => s"$term: $page, not ${found.getOrElse(term, "none")}")
    assertEquals(shown, Seq())

  test("scaladoc's search has Rows and Columns as types"):
    val data = os.read(site / "scripts" / "searchData.js")
    for name <- Seq("Rows", "Columns") do
      assert(
        raw""""n":"$name","t":"$name\[[^"]*","d":"[^"]*","k":"type"""".r.findFirstIn(
          data
        ).isDefined,
        name
      )
end BrowserTest

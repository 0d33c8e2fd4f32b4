package undercroft.docs

import com.sun.net.httpserver.{HttpServer, SimpleFileServer}
import java.net.{InetAddress, InetSocketAddress, URLDecoder}
import java.util.concurrent.TimeUnit
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

  private def isText(page: os.Path) = page.startsWith(site / "docs")

  test("every page of the repository is on the site"):
    val missing =
      Site(os.Path(sys.env("UNDERCROFT")), "https://sources.example").pages
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

  test("the API has every module, and nothing internal"):
    for module <- Seq("memory", "struct", "buffer", "actor", "file", "arrow", "duckdb", "pekko") do
      assert(os.exists(site / "undercroft" / s"$module.html"), module)
    assertEquals(pages.keys.filter(_.segments.contains("internal")).toSeq, Seq())

  /** A page with a frame that has another page and a width, and that prints the width it needs. */
  private def frame(page: String, width: Int) =
    s"""<!doctype html><body style="margin: 0">
       |<iframe src="/$page" style="width: ${width}px; height: 900px; border: 0"></iframe>
       |<script>document.querySelector('iframe').onload = e => {
       |  const root = e.target.contentDocument.documentElement;
       |  console.info(`seen: $${root.scrollWidth};`);
       |}</script>""".stripMargin.getBytes

  /** The width that a page needs in a frame, and the lines of the browser's console. */
  private def opened(browser: os.Path, page: String, width: Int, dark: Boolean) =
    val server = HttpServer.create(InetSocketAddress(InetAddress.getLoopbackAddress, 0), 0).nn
    val _ = server.createContext("/", SimpleFileServer.createFileHandler(site.toNIO))
    val text = frame(page, width)
    val _ = server.createContext(
      "/frame",
      exchange =>
        exchange.getResponseHeaders.nn.add("Content-Type", "text/html")
        exchange.sendResponseHeaders(200, text.length)
        exchange.getResponseBody.nn.write(text)
        exchange.close()
    )
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
          "--virtual-time-budget=5000",
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
      (seen.collectFirst { case s"${_}seen: $width;${_}" => width.toInt }, complaints)
    finally
      server.stop(0)
      os.remove.all(folder)
    end try
  end opened

  for
    page <- Seq("index.html", "docs/index.html", "docs/guide/tables.html", "undercroft/memory.html")
    dark <- Seq(false, true)
  do
    test(s"$page needs 400 pixels and prints no error, ${if dark then "dark" else "light"}"):
      Requirement.CHROMIUM.require()
      val browser = os.Path(Requirement.chromium().get.nn.toAbsolutePath.nn)
      val (width, complaints) = opened(browser, page, 400, dark)
      assertEquals(complaints, IndexedSeq())
      assert(width.exists(_ <= 400), s"$page is ${width.getOrElse("no")} pixels wide")
end BrowserTest

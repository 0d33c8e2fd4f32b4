package undercroft.report

import java.io.IOException
import java.nio.file.Files
import java.util.concurrent.TimeUnit
import undercroft.tools.Requirement

/** A page as headless Chromium shows it, queried by a script that is added to a copy of the page.
  *
  * @param complaints
  *   the lines of the browser's console
  * @param width
  *   of the window, in pixels
  * @param pageWidth
  *   width of the page in pixels; larger than the window if the page scrolls sideways
  * @param charts
  *   number of visible charts that are not empty
  * @param numbers
  *   for each table, how many cells have a number
  */
final case class Opened(
    complaints: Seq[String],
    width: Int,
    pageWidth: Int,
    charts: Int,
    numbers: Seq[Int]
)

object Browser:
  /** Opens a page in a window of a width, in light or dark mode; skips the test without Chromium.
    */
  def open(page: String, width: Int, dark: Boolean): Opened =
    Requirement.CHROMIUM.require()
    val browser = Requirement.chromium().get
    val folder = Files.createTempDirectory("page").nn
    Files.writeString(folder.resolve("page.html"), page + probe)
    // Chromium makes no window narrower than 500 pixels, but a frame of any width.
    val frame = Files
      .writeString(
        folder.resolve("frame.html"),
        s"""<!doctype html><iframe src="page.html" style="width: ${width}px; height: 900px; border: 0">
           |</iframe>""".stripMargin
      )
      .nn
    val (dom, log) = (folder.resolve("dom").nn, folder.resolve("log").nn)
    val scheme = if dark then 0 else 1
    val process = ProcessBuilder(
      browser.toString,
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      s"--user-data-dir=${folder.resolve("profile")}",
      s"--blink-settings=preferredColorScheme=$scheme",
      "--window-size=1600,1000",
      "--enable-logging=stderr",
      "--virtual-time-budget=2000",
      "--dump-dom",
      frame.toUri.toString
    ).redirectOutput(dom.toFile).nn.redirectError(log.toFile).nn.start().nn
    try
      if !process.waitFor(2, TimeUnit.MINUTES) then throw IOException(s"$browser did not end")
      val (reports, complaints) =
        Files.readString(log).nn.linesIterator.filter(_.contains(":CONSOLE")).toSeq
          .partition(_.contains("seen: "))
      read(reports.mkString, complaints)
    finally process.destroyForcibly(): Unit
  end open

  private def read(line: String, complaints: Seq[String]): Opened = line match
    case s"${_}seen: $width; $pageWidth; $charts; $numbers;$_" =>
      Opened(
        complaints,
        width.toInt,
        pageWidth.toInt,
        charts.toInt,
        numbers.split(' ').toSeq.filter(_.nonEmpty).map(_.toInt)
      )
    case _ => throw IOException(s"the page printed no report: $complaints")

  /** Folded parts are opened, or nothing in them would be seen. */
  private val probe =
    """<script>
      |document.querySelectorAll('details').forEach(d => d.open = true);
      |const all = (s, of = document) => Array.from(of.querySelectorAll(s));
      |const root = document.documentElement;
      |const seen = e => { const b = e.getBoundingClientRect(); return b.width > 0 && b.height > 0; };
      |const charts = all('figure').filter(f => all('svg', f).some(seen) &&
      |  all('rect, path, circle', f).some(seen)).length;
      |const numbers = all('table').map(t =>
      |  all('td', t).filter(c => /[0-9]/.test(c.textContent)).length).join(' ');
      |console.info(`seen: ${window.innerWidth}; ${root.scrollWidth}; ${charts}; ${numbers};`);
      |</script>
      |""".stripMargin
end Browser

package undercroft.report

import scalatags.Text

/** The words of HTML and SVG that a page is made of.
  *
  * Scalatags's own lists of them are lazy values that call Unsafe, which this JDK warns of and a
  * later one denies; its tags and attributes themselves are plain.
  */
private[report] object Markup extends Text.Cap with Text.Aggregate:
  type Piece = Text.Frag
  type Element = Text.TypedTag[String]

  // The page.
  val html: Element = tag("html")
  val head: Element = tag("head")
  val meta: Element = tag("meta", void = true)
  val title: Element = tag("title")
  val style: Element = tag("style")
  val body: Element = tag("body")
  val nav: Element = tag("nav")
  val section: Element = tag("section")

  // Words.
  val h1: Element = tag("h1")
  val h2: Element = tag("h2")
  val h3: Element = tag("h3")
  val p: Element = tag("p")
  val a: Element = tag("a")
  val b: Element = tag("b")
  val i: Element = tag("i")
  val span: Element = tag("span")
  val ul: Element = tag("ul")
  val li: Element = tag("li")
  val pre: Element = tag("pre")
  val code: Element = tag("code")
  val div: Element = tag("div")
  val details: Element = tag("details")
  val summary: Element = tag("summary")

  // Tables.
  val table: Element = tag("table")
  val thead: Element = tag("thead")
  val tbody: Element = tag("tbody")
  val tr: Element = tag("tr")
  val th: Element = tag("th")
  val td: Element = tag("td")

  // Pictures.
  val figure: Element = tag("figure")
  val figcaption: Element = tag("figcaption")
  val svg: Element = tag("svg")
  val g: Element = tag("g")
  val label: Element = tag("text")
  val line: Element = tag("line")
  val rect: Element = tag("rect")
  val circle: Element = tag("circle")
  val polyline: Element = tag("polyline")

  val kind: Attr = attr("class")
  val id: Attr = attr("id")
  val lang: Attr = attr("lang")
  val charset: Attr = attr("charset")
  val name: Attr = attr("name")
  val content: Attr = attr("content")
  val href: Attr = attr("href")
  val tabindex: Attr = attr("tabindex")
  val role: Attr = attr("role")
  val ariaLabel: Attr = attr("aria-label")

  val x: Attr = attr("x")
  val y: Attr = attr("y")
  val dx: Attr = attr("dx")
  val x1: Attr = attr("x1")
  val y1: Attr = attr("y1")
  val x2: Attr = attr("x2")
  val y2: Attr = attr("y2")
  val cx: Attr = attr("cx")
  val cy: Attr = attr("cy")
  val r: Attr = attr("r")
  val rx: Attr = attr("rx")
  val width: Attr = attr("width")
  val height: Attr = attr("height")
  val points: Attr = attr("points")
  val viewBox: Attr = attr("viewBox")
  val preserveAspectRatio: Attr = attr("preserveAspectRatio")
  val textAnchor: Attr = attr("text-anchor")
end Markup

package undercroft.report

import scalatags.Text

/** The words of HTML that a page is made of.
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
  val viewBox: Attr = attr("viewBox")
end Markup

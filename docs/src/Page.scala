package undercroft.docs

import scala.util.matching.Regex

/** A page of the site.
  *
  * @param source
  *   path below the repository
  * @param target
  *   path below the site's folder of pages
  */
final case class Page(source: os.SubPath, target: os.SubPath, markdown: String) derives CanEqual:

  /** The first heading, without its markup. */
  def title: String =
    markdown.linesIterator
      .find(_.startsWith("# "))
      .fold(source.last)(_.drop(2).replace("`", "").trim)

  /** The page as scaladoc wants it: the title is in the front matter and not in the text, and code
    * begins at the margin.
    */
  def withFrontMatter(link: String => String): String =
    val text = Page.withoutMargins(Page.mapLinks(markdown)(link))
    val (before, heading) = text.linesIterator.toVector.span(!_.startsWith("# "))
    val body = if heading.isEmpty then before else before ++ heading.tail
    s"---\ntitle: \"${title.replace("\"", "'")}\"\n---\n${body.mkString("\n")}\n"

  /** The targets of this page's links, in order. */
  def links: Seq[String] =
    Page.textLines(markdown).flatMap(Page.Link.findAllMatchIn(_)).map(Page.targetOf)
end Page

object Page:
  /** An inline link or image; its target has no spaces. */
  private val Link = """\]\(([^()\s]+)\)""".r

  private val CodeSpan = "`[^`]*`".r

  private def targetOf(link: Regex.Match): String = link.group(1).nn

  /** The Markdown with each link target outside of code blocks replaced by the result of `f`. */
  def mapLinks(markdown: String)(f: String => String): String =
    val inCode = codeLines(markdown)
    markdown.linesIterator.zipWithIndex
      .map: (line, i) =>
        if inCode(i) then line
        else
          mapText(line):
            Link.replaceAllIn(_, link => Regex.quoteReplacement(s"](${f(targetOf(link))})"))
      .mkString("\n")

  /** The Markdown with the common indentation of each code block removed. */
  def withoutMargins(markdown: String): String =
    val lines = markdown.linesIterator.toVector
    val inCode = codeLines(markdown)
    val isFence = lines.map(_.trim.startsWith("```"))
    @scala.annotation.tailrec
    def next(from: Int, done: Vector[String]): Vector[String] =
      if from >= lines.size then done
      else if isFence(from) || !inCode(from) then next(from + 1, done :+ lines(from))
      else
        val code = lines.drop(from).takeWhile(!_.trim.startsWith("```"))
        val margin = code.filterNot(_.isBlank).map(_.indexWhere(_ != ' ')).minOption.getOrElse(0)
        next(from + code.size, done ++ code.map(_.drop(margin)))
    next(0, Vector()).mkString("\n")

  private def textLines(markdown: String): Vector[String] =
    val inCode = codeLines(markdown)
    markdown.linesIterator.zipWithIndex
      .collect { case (line, i) if !inCode(i) => CodeSpan.replaceAllIn(line, "") }
      .toVector

  /** A line with `f` of its parts outside of code spans. */
  private def mapText(line: String)(f: String => String): String =
    val spans = CodeSpan.findAllIn(line).toVector
    val texts = CodeSpan.split(line).toVector.padTo(spans.size + 1, "").map(f)
    texts.zipAll(spans, "", "").map(_ + _).mkString

  /** For each line, whether it is in a fenced code block, fences included. */
  private def codeLines(markdown: String): Vector[Boolean] =
    val fences = markdown.linesIterator.map(_.trim.startsWith("```")).toVector
    val before = fences.scanLeft(0)((count, isFence) => if isFence then count + 1 else count)
    fences.zip(before).map((isFence, count) => isFence || count % 2 == 1)
end Page

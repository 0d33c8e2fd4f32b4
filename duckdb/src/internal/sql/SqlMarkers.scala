package undercroft.duckdb
package internal.sql

/** The parameters in the text of a statement, `?`, `$1` and `$name`, as DuckDB's lexer finds them:
  * outside of strings, quoted names and comments, and not within a name.
  */
private[undercroft] object SqlMarkers:

  /** The number of places with a parameter. */
  def count(text: String): Int = scan(text)(_ => ())

  /** The statements of a text, without those that are blank. */
  def statements(text: String): Vector[String] =
    val ends = Vector.newBuilder[Int]
    val _ = scan(text)(ends += _)
    val limits = -1 +: ends.result() :+ text.length
    limits.zip(
      limits.tail
    ).map((from, end) => text.substring(from + 1, end).nn).filterNot(_.isBlank)

  /** Returns the number of places with a parameter, and calls `end` with the position of each `;`
    * that ends a statement.
    */
  private def scan(text: String)(end: Int => Unit): Int =
    var markers = 0
    var at = 0
    while at < text.length do
      val c = text(at)
      if c == '\'' then at = afterQuote(text, at, c, escapes = isEscaping(text, at))
      else if c == '"' then at = afterQuote(text, at, c, escapes = false)
      else if text.startsWith("--", at) then at = until(text, "\n", at)
      else if text.startsWith("/*", at) then at = afterComment(text, at)
      else if c == '$' then
        val after = afterName(text, at + 1)
        if after < text.length && text(after) == '$' && !isDigit(text, at + 1) then
          at = until(text, text.substring(at, after + 1).nn, after + 1) // $tag$ ... $tag$
        else
          markers += 1
          at = after.max(at + 1)
      else if c == '?' then
        markers += 1
        at += 1
      else if c == ';' then
        end(at)
        at += 1
      else if isNamePart(c) then
        while at < text.length && (isNamePart(text(at)) || text(at) == '$') do at += 1
      else at += 1
      end if
    end while
    markers
  end scan

  /** The position after a quoted text, in which a doubled quote is a quote. */
  private def afterQuote(text: String, from: Int, quote: Char, escapes: Boolean): Int =
    var at = from + 1
    var isOpen = true
    while isOpen && at < text.length do
      if escapes && text(at) == '\\' then at += 2
      else if text(at) != quote then at += 1
      else if at + 1 < text.length && text(at + 1) == quote then at += 2
      else
        at += 1
        isOpen = false
    at

  /** Whether the string that begins at a quote has backslashes as escapes: E'...'. */
  private def isEscaping(text: String, quote: Int): Boolean =
    quote > 0 && (text(quote - 1) == 'E' || text(quote - 1) == 'e') &&
      (quote == 1 || !isNamePart(text(quote - 2)))

  /** The position after a comment, which may have comments in it. */
  private def afterComment(text: String, from: Int): Int =
    var depth = 1
    var at = from + 2
    while depth > 0 && at < text.length do
      if text.startsWith("*/", at) then
        depth -= 1
        at += 2
      else if text.startsWith("/*", at) then
        depth += 1
        at += 2
      else at += 1
    at

  /** The position after the next `end`, or the end of the text. */
  private def until(text: String, end: String, from: Int): Int =
    val found = text.indexOf(end, from)
    if found < 0 then text.length else found + end.length

  private def afterName(text: String, from: Int): Int =
    var at = from
    while at < text.length && isNamePart(text(at)) do at += 1
    at

  private def isDigit(text: String, at: Int): Boolean =
    at < text.length && text(at) >= '0' && text(at) <= '9'

  private def isNamePart(c: Char): Boolean = c.isLetterOrDigit || c == '_' || c > 127
end SqlMarkers

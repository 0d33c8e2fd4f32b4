package undercroft.duckdb
package internal.sql

/** Texts and names as DuckDB compares them: it ignores the case of ASCII letters only. */
private[duckdb] object SqlText:

  /** The name with ASCII letters in lower case. */
  def folded(name: String): String =
    name.map(c => if c >= 'A' && c <= 'Z' then (c + ('a' - 'A')).toChar else c)

  def isSameName(one: String, other: String): Boolean = folded(one) == folded(other)

  /** Throws IllegalArgumentException for half of a surrogate pair, which UTF-8 does not have. */
  def check(text: String): Unit =
    var i = 0
    while i < text.length do
      val point = text.codePointAt(i)
      if point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE then
        throw IllegalArgumentException(
          s"a text in SQL must be valid Unicode; this one has half of a surrogate pair at index $i"
        )
      i += Character.charCount(point)
end SqlText

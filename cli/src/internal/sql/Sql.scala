package undercroft.cli
package internal.sql

/** Names, texts and files in SQL. */
private[cli] object Sql:
  def name(name: String): String = "\"" + name.replace("\"", "\"\"") + "\""
  def text(text: String): String = "'" + text.replace("'", "''") + "'"

  /** The file of this name: DuckDB reads the files that match a pattern, and takes a `~` at the
    * start for the user's home.
    */
  def file(name: String): String =
    val relative = if name.startsWith("~") then s"./$name" else name
    text(relative.replaceAll("[*?\\[]", "[$0]").nn)

package undercroft.cli
package internal.sql

/** The texts in which DuckDB states types. */
private[cli] object SqlTypeText:

  /** The parameters of a type such as `MAP(VARCHAR, DOUBLE)`. */
  def parameters(sqlType: String): Vector[String] =
    val text = sqlType.substring(sqlType.indexOf('(') + 1, sqlType.length - 1).nn
    var depth = 0
    var isQuoted = false
    val commas = text.indices.filter: i =>
      text(i) match
        case '"'                    => isQuoted = !isQuoted
        case '(' | '[' if !isQuoted => depth += 1
        case ')' | ']' if !isQuoted => depth -= 1
        case _                      => ()
      text(i) == ',' && depth == 0 && !isQuoted
    val limits = -1 +: commas :+ text.length
    limits.zip(limits.tail).map((from, end) => text.substring(from + 1, end).nn.strip.nn).toVector

  /** The names and the types of a STRUCT's fields. */
  def fields(sqlType: String): Vector[(String, String)] = parameters(sqlType).map: field =>
    if field.startsWith("\"") then
      val end = Iterator.iterate(field.indexOf('"', 1))(at => field.indexOf('"', at + 2))
        .find(at => at + 1 >= field.length || field(at + 1) != '"').getOrElse(field.length - 1)
      (field.substring(1, end).nn.replace("\"\"", "\"").nn, field.drop(end + 1).strip.nn)
    else
      field.splitAt(field.indexOf(' ')) match
        case (name, rest) => (name, rest.strip.nn)
end SqlTypeText

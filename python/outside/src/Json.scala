package outside.python

/** Writes values as JSON, in the form in which the Python tests expect decoded values. */
object Json:

  /** A Map is an object, an Iterable an array, a Long beyond the exact doubles still a number. */
  def render(value: Any): String = value match
    case null                => "null"
    case text: String        => quote(text)
    case unit: Char          => quote(unit.toString)
    case fields: Map[?, ?]   => fields.map(field).mkString("{", ", ", "}")
    case values: Iterable[?] => values.map(render).mkString("[", ", ", "]")
    case other               => other.toString

  private def field(name: Any, value: Any): String = s"${quote(name.toString)}: ${render(value)}"

  private def quote(text: String): String =
    text.map {
      case '"'                    => "\\\""
      case '\\'                   => "\\\\"
      case c if c < 32 || c > 126 => f"\\u${c.toInt}%04x"
      case c                      => c.toString
    }.mkString("\"", "", "\"")
end Json

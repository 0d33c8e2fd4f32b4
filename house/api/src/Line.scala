package undercroft.house.api

/** A definition as it is printed: its own text, and the lines of what it contains. */
final case class Line(text: String, members: Vector[Line] = Vector())

object Line:
  private val indent = "  "

  /** The lines in the order of the alphabet, members indented below theirs. */
  def show(lines: Vector[Line], depth: Int = 0): String =
    lines.sortBy(_.text)
      .map(line => indent * depth + line.text + "\n" + show(line.members, depth + 1))
      .mkString

package undercroft.tools.api

/** A definition as it is printed: its own text, and the lines of its members. */
final case class ApiLine(text: String, members: Vector[ApiLine] = Vector())

object ApiLine:
  private val indent = "  "

  /** The lines in the order of the alphabet, members indented below theirs. */
  def show(lines: Vector[ApiLine], depth: Int = 0): String =
    lines.sortBy(_.text)
      .map(line => indent * depth + line.text + "\n" + show(line.members, depth + 1))
      .mkString

package undercroft.tools

/** The examples of doc comments, as sources that the compiler checks.
  *
  * Scaladoc compiles examples that are fenced as Scala, each in a compiler run of its own, without
  * names such as `trades` that a reader understands from the context. Here an example is a block in
  * braces, and all examples of a file become one source.
  */
object DocExamples:

  /** An example: its lines, and the line of the file at which it begins. */
  final case class Example(line: Int, lines: Vector[String]):
    private def isDefinition(line: String): Boolean =
      DocExamples.definitions.exists(line.startsWith(_))

    /** The lines in two parts: definitions of types with the imports, and statements. */
    def parts: (Vector[String], Vector[String]) =
      val starts = lines.map(line => !line.headOption.forall(_.isWhitespace) && !isContinued(line))
      val kinds = lines.indices.scanLeft(false): (before, i) =>
        if starts(i) then isDefinition(lines(i)) else before
      val (definitions, statements) = lines.zip(kinds.tail).partition(_._2)
      (definitions.map(_._1), statements.map(_._1))

    private def isContinued(line: String): Boolean =
      Seq("catch", "finally", "else", "end", ")", "}").exists(line.startsWith(_))

  private val definitions =
    Seq("import ", "given ", "case class ", "final case class ", "final class ", "class ", "enum ")
      ++ Seq("sealed ", "trait ", "object ", "opaque type ", "type ", "@")

  /** The examples of a source file, in order. A block of a comment is an example unless its lines
    * are a table or a drawing, which no Scala is: those are in comments of internal types.
    */
  def of(source: String): Vector[Example] =
    val lines = source.linesIterator.toVector
    lines.indices.filter(i => lines(i).trim == "* {{{").toVector.map: start =>
      val end = lines.indexWhere(_.trim == "* }}}", start)
      val content = lines.slice(start + 1, end).map(_.trim.stripPrefix("*"))
      val margin = content.filterNot(_.isBlank).map(_.takeWhile(_ == ' ').length).min
      Example(start + 2, content.map(_.drop(margin)))

  /** A source with the examples of one file, which is `path` from the project's folder, and belongs
    * to the package `own`.
    */
  def scala(path: String, own: String, examples: Seq[Example]): String =
    val objects = examples.map: example =>
      val (definitions, statements) = example.parts
      s"""// $path:${example.line}
         |object ${name(path, example)}:
         |${definitions.map("  " + _).mkString("\n")}
         |  def run(): Unit =
         |${statements.map("    " + _).mkString("\n")}
         |    ()
         |""".stripMargin
    val imports = Seq(s"import $own.*", "import examples.api.Names.{*, given}")
    (s"package examples.api" +: "" +: imports :+ "" :+ objects.mkString("\n")).mkString("\n")

  /** A source that lists the examples of all files, by path and line. */
  def list(files: Seq[(String, Seq[Example])]): String =
    val entries =
      for (path, examples) <- files; example <- examples
      yield s"""    "$path:${example.line}" -> (() => ${name(path, example)}.run())"""
    s"""package examples.api
       |
       |object All:
       |  val examples: Seq[(String, () => Unit)] = Seq(
       |${entries.mkString(",\n")}
       |  )
       |""".stripMargin

  private def name(path: String, example: Example): String =
    path.stripSuffix(".scala").map(c => if c.isLetterOrDigit then c else '_') + s"_${example.line}"
end DocExamples

package undercroft.lab.bench

import java.nio.file.Path

/** The Python of programs beside ours. */
object PythonPrograms:
  /** A Python that can import libraries: of the folder `UNDERCROFT_PYTHON_HOME`, or of the PATH. */
  def python(libraries: String): Option[String] =
    val home = Option(System.getenv("UNDERCROFT_PYTHON_HOME"))
    (home.map(Path.of(_, "bin", "python").toString).toSeq :+ "python3").find(imports(_, libraries))

  private def imports(program: String, libraries: String): Boolean =
    val builder = ProcessBuilder(program, "-c", s"import $libraries")
    val nothing = ProcessBuilder.Redirect.DISCARD
    try builder.redirectOutput(nothing).redirectError(nothing).start().waitFor() == 0
    catch case _: java.io.IOException => false
end PythonPrograms

package outside.struct

import dotty.tools.dotc.Driver
import dotty.tools.dotc.core.Contexts.NoContext
import dotty.tools.dotc.interfaces.Diagnostic
import dotty.tools.dotc.reporting.StoreReporter
import java.io.File.pathSeparator
import java.nio.file.{Files, Path}
import java.util.Comparator

/** The compiler as a user runs it, for programs that a test writes. */
object UserCompiler:

  /** An error or a warning: the file, the line (the first is 1), and the text. */
  final case class Message(isError: Boolean, file: String, line: Int, text: String)

  /** Compiles sources, each with a name, into a folder.
    *
    * @param libraries
    *   folders of classes that precede the test's own class path
    * @return
    *   the errors and the warnings
    */
  def compile(
      to: Path,
      sources: Seq[(String, String)],
      flags: Seq[String] = Nil,
      libraries: Seq[Path] = Nil
  ): Seq[Message] =
    Files.createDirectories(to): Unit
    val files = sources.map: (name, source) =>
      Files.writeString(to.resolve(s"$name.scala"), source).toString
    val path = libraries.map(_.toString) :+ System.getProperty("java.class.path").nn
    val options =
      Seq("-classpath", path.mkString(pathSeparator), "-color:never", "-d", to.toString) ++ flags
    val reporter = StoreReporter()
    val _ = Driver().process((options ++ files).toArray, reporter, null)
    reporter.removeBufferedMessages(using NoContext)
      .filter(_.level != Diagnostic.INFO)
      .map: message =>
        val isError = message.level == Diagnostic.ERROR
        val position = message.pos
        if position.exists then
          Message(isError, position.source.file.name, position.outermost.line + 1, message.message)
        else Message(isError, "", 0, message.message)
  end compile

  def errors(messages: Seq[Message]): Seq[String] = messages.filter(_.isError).map(_.text)

  /** Runs a body with a folder, and deletes the folder. */
  def inFolder[A](use: Path => A): A =
    val folder = newFolder()
    try use(folder)
    finally delete(folder)

  def newFolder(): Path = Files.createTempDirectory("undercroft-outside-").nn

  def delete(folder: Path): Unit =
    val files = Files.walk(folder).nn
    try files.sorted(Comparator.reverseOrder).forEach(Files.delete(_))
    finally files.close()
end UserCompiler

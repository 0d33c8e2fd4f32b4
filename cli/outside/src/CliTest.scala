package outside.cli

import java.io.{ByteArrayOutputStream, PrintStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import java.util.concurrent.TimeUnit
import scala.jdk.CollectionConverters.*
import undercroft.tools.ChildJvm

/** A folder of one test, and the command in it. */
abstract class CliSuite extends undercroft.tools.Suite:

  protected final case class Outcome(code: Int, out: String, err: String):
    def lines: List[String] = out.linesIterator.toList

  private val folder = FunFixture[Path](
    setup = _ => Files.createTempDirectory("cli").nn,
    teardown = path =>
      val files = Files.walk(path)
      try files.iterator.asScala.toList.reverse.foreach(Files.delete)
      finally files.close()
  )

  protected def inFolder(title: munit.TestOptions)(body: Path => Unit): Unit =
    folder.test(title)(body)

  /** Runs a command; names of files are relative to the folder if they begin with `./`. */
  protected def run(folder: Path)(words: String*): Outcome =
    val (out, err) = (ByteArrayOutputStream(), ByteArrayOutputStream())
    val args = words.map(word =>
      word.replaceFirst("^((?:[a-z]+=)?)\\./", s"$$1$folder/").nn
    )
    val code =
      undercroft.cli.Main.run(args, PrintStream(out, true, UTF_8), PrintStream(err, true, UTF_8))
    Outcome(code, out.toString(UTF_8), err.toString(UTF_8).replace(s"$folder/", "./"))

  protected def done(outcome: Outcome): Outcome =
    assertEquals((outcome.code, outcome.err), (0, ""))
    outcome

  protected def write(folder: Path, name: String, lines: String*): Unit =
    Files.writeString(folder.resolve(name), lines.mkString("", "\n", "\n")): Unit

  protected def names(folder: Path): Set[String] =
    val files = Files.list(folder)
    try files.iterator.asScala.map(_.getFileName.toString).toSet
    finally files.close()

  /** Runs a command of the shell. */
  protected def shell(folder: Path, environment: Map[String, String], command: String): Outcome =
    val (out, err) = (folder.resolve("shell.out"), folder.resolve("shell.err"))
    val redirected = ProcessBuilder("sh", "-c", command)
      .redirectOutput(out.toFile)
      .redirectError(err.toFile)
    val builder = ChildJvm.withoutOptions(redirected)
    for (name, value) <- environment do builder.environment.put(name, value)
    val process = builder.start()
    val hasEnded = process.waitFor(2, TimeUnit.MINUTES)
    if !hasEnded then process.destroyForcibly()
    assert(hasEnded, s"$command does not end")
    Outcome(process.exitValue, Files.readString(out), Files.readString(err))
end CliSuite

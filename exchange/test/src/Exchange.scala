package undercroft.exchange

import java.io.{ByteArrayOutputStream, PrintStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}

/** A command line that ended: its exit code and its output. */
final case class Ended(code: Int, out: String, err: String)

object Exchange:

  /** Runs a command line of the exchange in this JVM; the JVMs of the storages are forked. */
  def run(args: String*): Ended =
    val out = ByteArrayOutputStream()
    val err = ByteArrayOutputStream()
    val code = Main.run(args, PrintStream(out, true, UTF_8), PrintStream(err, true, UTF_8))
    Ended(code, out.toString(UTF_8), err.toString(UTF_8))

  /** Runs `java -jar` with the assembled exchange and without a flag. */
  def runJar(args: String*): Ended = runJarWith()(args*)

  def runJarWith(flags: String*)(args: String*): Ended =
    val out = Files.createTempFile("exchange", ".out").nn
    val err = Files.createTempFile("exchange", ".err").nn
    val process = startJar(out, err, flags)(args*)
    Ended(process.waitFor(), Files.readString(out).nn, Files.readString(err).nn)

  /** Starts the assembled exchange, its output going to files. */
  def startJar(out: Path, err: Path, flags: Seq[String])(args: String*): Process =
    builder(flags, args).redirectOutput(out.toFile).nn.redirectError(err.toFile).nn.start().nn

  /** Starts the assembled exchange, its output going to the caller. */
  def startJar(err: Path)(args: String*): Process =
    builder(Seq.empty, args).redirectError(err.toFile).nn.start().nn

  private def builder(flags: Seq[String], args: Seq[String]): ProcessBuilder =
    val jar = sys.env("UNDERCROFT_EXCHANGE_JAR")
    undercroft.tools.ChildJvm.builder((flags ++ Seq("-jar", jar) ++ args)*)

  /** A file of a test's own with these bytes. */
  def file(name: String, content: String): Path =
    val folder = Files.createTempDirectory("exchange").nn
    Files.writeString(folder.resolve(name), content).nn

  /** The keys of a storage in JSON. */
  val keys = Seq(
    "storage",
    "layout",
    "trades",
    "outcome",
    "dayBalance",
    "startMillis",
    "firstDayMillis",
    "recordMillis",
    "balanceMillis",
    "totalMillis",
    "bytesPerTrade",
    "peakHeapBytes",
    "peakResidentBytes",
    "hugePages",
    "gcPauses",
    "gcMaxMillis",
    "gcTotalMillis"
  )

  /** The first storage in the JSON of a command line that ended. */
  def row(outcome: Ended): ujson.Value = ujson.read(outcome.out)("storages")(0)
end Exchange

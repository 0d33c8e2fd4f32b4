package undercroft.lab.fuzz

import java.nio.file.{Files, Path}
import undercroft.exchange.fuzz.CsvTarget

/** A reader under test. Any input is either read, with the checks of the target, or rejected with
  * an exception that the reader documents; every other exception is a finding.
  */
trait Target:
  /** The name in commands, and the folder of the seeds. */
  def name: String

  /** Reads the input; throws on a finding. */
  def run(input: Array[Byte]): Unit

  /** Valid inputs, from which the committed seeds were created. */
  def samples: Seq[Array[Byte]]

  /** Jazzer's entry point, which Scala forwards to as a static method. */
  final def fuzzerTestOneInput(input: Array[Byte]): Unit = run(input)
end Target

object Target:
  def all: Seq[Target] =
    Seq(StructFileTarget, ArrowTarget, ThriftTarget, CsvTarget, GzipTarget, Utf8Target)

  def named(name: String): Option[Target] = all.find(_.name == name)

  /** Committed inputs of a target, by file name. */
  def seeds(target: Target): Seq[Array[Byte]] =
    val folder = seedFolder.resolve(target.name).nn
    val files = folder.toFile.nn.listFiles
    if files == null then throw IllegalStateException(s"no seeds for ${target.name}: $folder")
    files.nn.sorted.toSeq.map(file => Files.readAllBytes(file.nn.toPath).nn)

  def seedFolder: Path = Path.of(sys.env("UNDERCROFT_FUZZ_SEEDS")).nn

  /** A file in memory, if the system has such a folder, used by this process only. */
  val scratch: Path =
    val memory = Path.of("/dev/shm").nn
    val parent =
      if Files.isDirectory(memory) then memory else Path.of(sys.props("java.io.tmpdir")).nn
    val folder = Files.createTempDirectory(parent, "undercroft-fuzz").nn
    Runtime.getRuntime.nn.addShutdownHook(Thread(() =>
      folder.toFile.nn.listFiles.nn.foreach(file => file.nn.delete())
      val _ = folder.toFile.nn.delete()
    ))
    folder
end Target

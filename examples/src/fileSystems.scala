import java.nio.file.*
import java.nio.file.StandardOpenOption.*
import scala.util.Using
import undercroft.buffer.*

/** Works in a folder of any file system of `java.nio`: on a disk, in a zip file, in memory. */
def keepLog(folder: Path): Unit =
  val file = folder.resolve("day.log")
  Using.resource(Files.newOutputStream(file).sink().buffered)(_.writeUtf8("one\n"))
  Using.resource(Files.newOutputStream(file, APPEND).sink().buffered)(_.writeUtf8("two\n"))
  Using.resource(Files.newInputStream(file).source().buffered)(_.lines.foreach(println))

/** Counts the bytes that pass; all other calls, and the timeout, are the other source's. */
final class CountingSource(source: Source) extends ForwardingSource(source):
  var count = 0L
  override def read(sink: Buffer, byteCount: Long): Long =
    val bytes = super.read(sink, byteCount)
    if bytes > 0 then count += bytes
    bytes

@main def fileSystems(): Unit =
  val folder = Files.createTempDirectory("logs")
  keepLog(folder)
  val zip = folder.resolve("logs.zip")
  Using.resource(FileSystems.newFileSystem(zip, java.util.Map.of("create", "true"))): system =>
    keepLog(system.getPath("/"))
  val counting = CountingSource(Files.newInputStream(zip).source())
  println(Using.resource(counting.buffered)(_.readByteString().size) == counting.count)

// prints:
// one
// two
// one
// two
// true

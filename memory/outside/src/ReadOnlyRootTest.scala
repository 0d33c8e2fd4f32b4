package outside.memory

import java.nio.file.{Files, Path}
import undercroft.memory.*
import undercroft.tools.{ForkedJvm, SmallDisk}

/** First uses of memory where its file cannot be created. */
class ReadOnlyRootTest extends undercroft.tools.Suite:
  private def failure(folder: Path): String =
    val flags = ForkedJvm.Denied :+ s"-Dundercroft.directory=$folder"
    val result = ForkedJvm.run(classOf[FailingUse.type], flags)
    assertEquals(result.exit, 0, result.output)
    result.last

  private def rejection(folder: Path, reason: String): String =
    s"native access is denied or switched off, and the file for memory cannot be created in $folder: " +
      s"$reason; -Dundercroft.directory=FOLDER selects a writable folder, and memory with " +
      "--enable-native-access=ALL-UNNAMED needs no file"

  test("a read-only folder for the memory's file is named with the system's reason and the cure"):
    SmallDisk("1m", java.util.List.of("ro")).use: folder =>
      val reason = "java.nio.file.FileSystemException: (file): Read-only file system"
      val text = failure(folder).replaceAll(s"$folder/undercroft\\d+.cage", "(file)")
      assertEquals(text, rejection(folder, reason))

  test("a missing folder for the memory's file is named with the cure"):
    val folder = Files.createTempDirectory("missing")
    Files.delete(folder)
    val reason = s"java.nio.file.NoSuchFileException: (file)"
    val text = failure(folder).replaceAll(s"$folder/undercroft\\d+.cage", "(file)")
    assertEquals(text, rejection(folder, reason))
end ReadOnlyRootTest

object FailingUse:
  def main(args: Array[String]): Unit =
    try println(Region.scoped(Region.allocate(1000).byteSize))
    catch case error: ExceptionInInitializerError => println(error.getCause.getMessage)

package outside.buffer

import com.google.common.jimfs.{Configuration, Jimfs}
import java.io.IOException
import java.net.URI
import java.nio.channels.FileChannel
import java.nio.file.*
import java.nio.file.StandardOpenOption.*
import scala.jdk.CollectionConverters.*
import scala.util.Using
import undercroft.buffer.*

/** Sources and sinks over files of every `java.nio` file system: of the system, of a zip file, and
  * of memory.
  */
class FileSystemsTest extends undercroft.tools.Suite:

  private def bytes(count: Int, seed: Int): Array[Byte] =
    val array = new Array[Byte](count)
    scala.util.Random(seed).nextBytes(array)
    array

  private def zip(): FileSystem =
    val file = Files.createTempDirectory("files").resolve("files.zip")
    FileSystems.newFileSystem(URI.create(s"jar:${file.toUri}"), Map("create" -> "true").asJava)

  /** Each with the folder to use, and its end. */
  private val systems = Seq[(String, () => (Path, () => Unit))](
    "the default file system" -> (() => (Files.createTempDirectory("files"), () => ())),
    "a zip file" -> { () =>
      val system = zip()
      (system.getPath("/"), () => system.close())
    },
    "a file system in memory, of Unix" -> { () =>
      val system = Jimfs.newFileSystem(Configuration.unix)
      (Files.createDirectory(system.getPath("/files")), () => system.close())
    },
    "a file system in memory, of Windows" -> { () =>
      val system = Jimfs.newFileSystem(Configuration.windows)
      (Files.createDirectory(system.getPath("C:\\files")), () => system.close())
    }
  )

  for (name, open) <- systems do
    def in(use: Path => Unit): Unit =
      val (folder, close) = open()
      try use(folder)
      finally close()

    test(s"bytes are equal after their way through a file of $name, by streams and channels"):
      in: folder =>
        for
          memory <- SegmentMemory.values
          size <- Seq(0, 1, 8192, 300_000)
        do
          given SegmentPool = SegmentPool.lockFree(memory = memory)
          val content = bytes(size, seed = size)
          val file = folder.resolve(s"file-$memory-$size")
          Using.resource(Files.newOutputStream(file).sink().buffered)(_.write(content))
          val read = Using.resource(Files.newByteChannel(file).source().buffered)(_.readByteArray())
          assertEquals(read.toSeq, content.toSeq)
          val copy = folder.resolve(s"copy-$memory-$size")
          Using.resource(Files.newInputStream(file).source().buffered): source =>
            Using.resource(Files.newByteChannel(copy, CREATE_NEW, WRITE).sink()): sink =>
              assertEquals(source.readAll(sink), size.toLong)
          assertEquals(Files.mismatch(file, copy), -1L)

    test(s"a compressed log in $name is appended to, moved and read by lines"):
      in: folder =>
        val file = Files.createDirectories(folder.resolve("logs")).resolve("day.log.gz")
        for day <- 1 to 3 do
          val stream = Files.newOutputStream(file, CREATE, APPEND)
          Using.resource(Compression.gzip(stream.sink()).buffered)(_.writeUtf8(s"day $day\n"))
        val moved = Files.move(file, folder.resolve("old.log.gz"))
        val source = Compression.gunzip(Files.newInputStream(moved).source()).buffered
        assertEquals(Using.resource(source)(_.lines.toList), List("day 1", "day 2", "day 3"))

    test(s"errors of $name are the exceptions of java.nio, and name the file"):
      in: folder =>
        val missing = folder.resolve("missing")
        val error = intercept[NoSuchFileException](Files.newInputStream(missing).source())
        assert(error.getMessage.endsWith("missing"), error.getMessage)
        Files.newOutputStream(missing, CREATE_NEW).close()
        intercept[FileAlreadyExistsException]:
          Files.newOutputStream(missing, CREATE_NEW).sink()
        intercept[DirectoryNotEmptyException](Files.delete(missing.getParent)): Unit
  end for

  for (name, open) <- systems.filterNot((name, _) => name == "a zip file") do
    test(s"a file of $name is read and written at positions, by a FileChannel"):
      val (folder, close) = open()
      try
        val file = Files.createDirectories(folder).resolve("random")
        Using.resource(FileChannel.open(file, CREATE_NEW, READ, WRITE)): channel =>
          channel.sink().write(Buffer().write(bytes(20_000, seed = 1)), 20_000)
          channel.position(10_000).sink().write(Buffer().writeUtf8("price"), 5)
          channel.position(9_999)
          val source = channel.source().buffered
          source.skip(1)
          assertEquals(source.readUtf8(5), "price")
          assertEquals(channel.truncate(10_005).size, 10_005L)
      finally close()

  test("a file system that is closed under a source is an IOException, and under a sink, too"):
    val system = Jimfs.newFileSystem(Configuration.unix)
    val file = system.getPath("/file")
    val sink = Files.newOutputStream(file).sink()
    sink.write(Buffer().writeUtf8("abc"), 3)
    val source = Files.newInputStream(file).source()
    system.close()
    intercept[IOException](source.read(Buffer(), 1)): Unit
    val rest = Buffer().writeUtf8("abc")
    intercept[IOException](sink.write(rest, 3)): Unit
    assertEquals(rest.readUtf8(), "abc")
    intercept[ClosedFileSystemException](Files.newInputStream(file)): Unit
end FileSystemsTest

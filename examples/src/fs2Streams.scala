import bufferfs2.*
import cats.effect.IO
import cats.effect.unsafe.implicits.global
import fs2.{Stream, text}
import java.nio.file.{Files, Path}
import undercroft.buffer.*

/** Writes lines to a compressed file. */
def writeLines(lines: Stream[IO, String], file: Path): IO[Unit] =
  val open = IO.blocking(Compression.gzip(Files.newOutputStream(file).sink()))
  lines.intersperse("\n").through(text.utf8.encode).through(ByteStreams.write(open)).compile.drain

/** The lines of a compressed file. */
def readLines(file: Path): Stream[IO, String] =
  val open = IO.blocking(Compression.gunzip(Files.newInputStream(file).source()))
  ByteStreams.read(open).through(text.utf8.decode).through(text.lines)

/** The first number of a stream in a binary format, by the readers of a buffer. */
def firstLong(bytes: Stream[IO, Byte]): IO[Long] =
  ByteStreams.source(bytes).use(source => IO.blocking(source.buffered.readLong()))

@main def fs2Streams(): Unit =
  val file = Files.createTempFile("lines", ".gz")
  val lines = Stream.range(0, 1000).map(i => s"line $i").covary[IO]
  val program =
    for
      _ <- writeLines(lines, file)
      count <- readLines(file).compile.count
      last <- readLines(file).compile.lastOrError
      number <- firstLong(Stream.chunk(ByteString.hex("00000000000000fb").toChunk).repeat)
    yield (count, last, number)
  println(program.unsafeRunSync())
  Files.delete(file)

// prints:
// (1000,line 999,251)

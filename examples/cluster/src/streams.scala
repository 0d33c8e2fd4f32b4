import java.nio.file.{Files, Path}
import org.apache.pekko.actor.ActorSystem
import org.apache.pekko.stream.scaladsl.{Framing, Source}
import org.apache.pekko.util.ByteString
import scala.concurrent.{Await, Future}
import scala.concurrent.duration.*
import undercroft.buffer.{Compression, sink, source}
import undercroft.file.*
import undercroft.pekko.*
import undercroft.struct.*

final case class Tick(at: Int, price: Int) derives Struct

/** Writes lines of text to a compressed file; returns the number of bytes before compression. */
def save(ticks: Int, file: Path)(using ActorSystem): Future[Long] =
  Source(1 to ticks)
    .map(at => ByteString(s"$at,${at % 1000}\n"))
    .runWith(ByteStreams.sink(Compression.gzip(Files.newOutputStream(file).sink())))

/** Appends the lines of a compressed file to a table. */
def load(file: Path, day: FileTable[Tick, Aligned])(using ActorSystem): Future[Long] =
  ByteStreams
    .source(Compression.gunzip(Files.newInputStream(file).source()))
    .via(Framing.delimiter(ByteString("\n"), maximumFrameLength = 100))
    .map(line => line.utf8String.split(','))
    .map(fields => Tick(fields(0).toInt, fields(1).toInt))
    .grouped(1000)
    .runWith(RowStreams.appendTo(day, commitRows = 10_000))

/** Each batch is a part of the table: one loop over its memory, and no object for a row. */
def highestPrice(day: Rows[Tick])(using ActorSystem): Future[Int] =
  RowStreams.source(day).map(batch => batch.maxOf(_.price)).runReduce(_ max _)

@main def streams(): Unit =
  given system: ActorSystem = ActorSystem("streams")
  val folder = Files.createTempDirectory("streams")
  val day = Rows.create[Tick](folder.resolve("day.ticks"))
  try
    val file = folder.resolve("day.csv.gz")
    println(Await.result(save(100_000, file), 1.minute))
    println(Await.result(load(file, day), 1.minute))
    println(Await.result(highestPrice(day), 1.minute))
  finally
    day.close()
    Await.ready(system.terminate(), 1.minute)

// prints:
// 977895
// 100000
// 999

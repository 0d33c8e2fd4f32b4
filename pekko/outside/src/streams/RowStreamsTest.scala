package outside.pekko.streams

import java.nio.file.Files
import java.util.concurrent.{CompletableFuture, CountDownLatch}
import org.apache.pekko.NotUsed
import org.apache.pekko.stream.QueueOfferResult
import org.apache.pekko.stream.scaladsl.{FileIO, Framing, Keep, Sink, Source}
import org.apache.pekko.util.ByteString
import undercroft.file.*
import undercroft.memory.*
import undercroft.pekko.*
import undercroft.struct.*

final case class Bill(ticket: Int, price: Int) derives Struct

/** Tables and struct files as the ends of streams. */
class RowStreamsTest extends StreamSuite:

  private def shared[A](body: Region ?=> A): A =
    val region = Region.shared("streams")
    try body(using region)
    finally region.close()

  private def bills(count: Int): Source[Bill, NotUsed] =
    Source.fromIterator(() => Iterator.tabulate(count)(i => Bill(i, i % 100)))

  test("all rows of a table in each layout arrive once, in order, in batches of the asked size"):
    shared:
      for rows <- Seq(0, 1, 999, 1000, 1001, 5000) do
        def batches[L <: Layout](table: Table[Bill, L]): Unit =
          val read = RowStreams
            .source(table, batchRows = 1000)
            .map(batch => batch.map(_.ticket).toVector)
            .runWith(Sink.seq)
            .outcome
          assertEquals(read.flatten.toVector, (0 until rows).toVector)
          assert(read.dropRight(1).forall(_.size == 1000), read.map(_.size))
        batches(Rows.tabulate[Bill](rows)(i => Bill(i.toInt, 1)))
        batches(PackedRows.tabulate[Bill](rows)(i => Bill(i.toInt, 1)))
        batches(Columns.tabulate[Bill](rows)(i => Bill(i.toInt, 1)))

  test(
    "a batch is the table's memory: it shows a change, and reads across an asynchronous boundary"
  ):
    shared:
      val table = Rows.tabulate[Bill](10_000)(i => Bill(i.toInt, 1))
      val batches = RowStreams.source(table, 1000).runWith(Sink.seq).outcome
      table(9999) = Bill(0, 1001)
      assertEquals(batches.map(_.sumOf(_.price)).sum, 11_000L)
      val sum = RowStreams
        .source(table, 1000)
        .mapAsyncUnordered(2)(batch =>
          scala.concurrent.Future(batch.sumOf(_.price))(using system.dispatcher)
        )
        .runFold(0L)(_ + _)
      assertEquals(sum.outcome, 11_000L)

  test("a source reads the rows that its table has when it starts"):
    shared:
      val table = Rows.growing[Bill]
      val source = RowStreams.source(table, batchRows = 10)
      assertEquals(source.runWith(Sink.seq).outcome.size, 0)
      for n <- 1 to 25 do table += Bill(n, n)
      assertEquals(source.runWith(Sink.seq).outcome.map(_.size), Seq(10L, 10L, 5L))
      val queue = source.runWith(Sink.queue(1))
      assertEquals(queue.pull().outcome.map(_.size), Some(10L))
      for n <- 26 to 1000 do table += Bill(n, n)
      assertEquals(queue.pull().outcome.map(_.size), Some(10L))
      assertEquals(queue.pull().outcome.map(_.size), Some(5L))
      assertEquals(queue.pull().outcome, None)

  test("a region that closes under a stream fails it, and no other memory is read"):
    val region = Region.shared("closing")
    val table = Rows.tabulate[Bill](10_000)(i => Bill(i.toInt, 1))(using region)
    val (reached, closed) = (CountDownLatch(1), CountDownLatch(1))
    val sums = RowStreams
      .source(table, batchRows = 100)
      .map: batch =>
        val sum = batch.sumOf(_.price)
        reached.countDown()
        closed.await()
        sum
      .runWith(Sink.seq)
    reached.await()
    region.close()
    closed.countDown()
    assert(sums.failure.getMessage.nonEmpty)

  test("a table of a scoped region fails the stream by the error for a wrong thread"):
    Region.scoped:
      val table = Rows.tabulate[Bill](100)(i => Bill(i.toInt, 1))
      val sum = RowStreams.source(table).map(_.sumOf(_.price)).runWith(Sink.seq)
      val error = sum.failure
      assert(error.isInstanceOf[WrongThreadException], error)
      val growing = Rows.growing[Bill]
      val appended = bills(10).grouped(3).runWith(RowStreams.appendTo(growing)).failure
      assert(appended.isInstanceOf[RegionThreadException], appended)
      assertEquals(growing.size, 0L)

  test("batches of every kind are appended: collections, iterators, views and tables"):
    shared:
      val table = Rows.growing[Bill]
      val from = Columns.tabulate[Bill](1000)(i => Bill(i.toInt, 2))
      assertEquals(bills(1000).grouped(7).runWith(RowStreams.appendTo(table)).outcome, 1000L)
      assertEquals(
        bills(1000).map(Iterator.single).runWith(RowStreams.appendTo(table)).outcome,
        1000L
      )
      assertEquals(RowStreams.source(from, 64).runWith(RowStreams.appendTo(table)).outcome, 1000L)
      assertEquals(
        RowStreams
          .source(from, 64)
          .map(batch => batch.filter(_.ticket % 2 == 0))
          .runWith(RowStreams.appendTo(table))
          .outcome,
        500L
      )
      assertEquals(table.size, 3500L)
      assertEquals(table.sumOf(_.price), 2L * 49_500 + 2000 + 1000)

  test("a full table fails the future, cancels the stream and keeps the rows before the failure"):
    shared:
      val table = Rows.growingTo[Bill](25)
      val canceled = CompletableFuture[Boolean]()
      val stored = Source
        .repeat(Bill(1, 2))
        .watchTermination(): (_, done) =>
          done.onComplete(_ => canceled.complete(true))(using system.dispatcher)
        .grouped(10)
        .runWith(RowStreams.appendTo(table))
      assertEquals(
        stored.failure.getMessage,
        "row 25 does not fit in a table of at most 25 rows"
      )
      assert(canceled.outcome)
      assertEquals(table.size, 25L)

  test("a budget that is exceeded fails the future with its typed error"):
    val region = Region.shared(Budget("streams", 8 << 20))
    try
      val table = Rows.growing[Bill](using region)
      val stored = bills(10_000_000).grouped(1000).runWith(RowStreams.appendTo(table))
      assert(stored.failure.isInstanceOf[MemoryLimitException], stored.failure)
      assert(table.size > 1000, s"${table.size} rows")
    finally region.close()

  test("a second stream to the same table fails while the first one runs, and works afterwards"):
    shared:
      val table = Rows.growing[Bill]
      val (reached, gate) = (CountDownLatch(1), CountDownLatch(1))
      val first = bills(10)
        .map: bill =>
          reached.countDown()
          gate.await()
          bill
        .grouped(2)
        .runWith(RowStreams.appendTo(table))
      reached.await()
      val second = bills(10).grouped(2).runWith(RowStreams.appendTo(table))
      assertEquals(
        second.failure.getMessage,
        "another stream appends to the table; only one may at a time"
      )
      gate.countDown()
      assertEquals(first.outcome, 10L)
      assertEquals(bills(10).grouped(2).runWith(RowStreams.appendTo(table)).outcome, 10L)
      assertEquals(table.size, 20L)

  test("lines of a text file become the rows of a struct file, which another reader sees"):
    val folder = Files.createTempDirectory("streams")
    val text = folder.resolve("day.csv")
    Files.writeString(text, (0 until 10_000).map(i => s"$i,${i % 100}\n").mkString)
    val path = folder.resolve("day.bills")
    val day = Rows.create[Bill](path)
    try
      val stored = FileIO
        .fromPath(text)
        .via(Framing.delimiter(ByteString("\n"), 100))
        .map: line =>
          val Array(ticket, price) = line.utf8String.split(','): @unchecked
          Bill(ticket.toInt, price.toInt)
        .grouped(300)
        .runWith(RowStreams.appendTo(day))
      assertEquals(stored.outcome, 10_000L)
      val reader = Rows.openReadOnly[Bill](path)
      try
        assertEquals(reader.size, 10_000L)
        val sum = RowStreams.source(reader).map(_.sumOf(_.price)).runFold(0L)(_ + _)
        assertEquals(sum.outcome, 495_000L)
      finally reader.close()
    finally day.close()

  test("rows are committed after the asked number of them, and not after a failure"):
    val path = Files.createTempDirectory("streams").resolve("day.bills")
    val day = Columns.create[Bill](path, maxRows = 10_000)
    def committed: Long =
      val reader = Columns.openReadOnly[Bill](path)
      try reader.size
      finally reader.close()
    val (queue, stored) =
      Source.queue[Seq[Bill]](20).toMat(RowStreams.appendTo(day, commitRows = 250))(Keep.both).run()
    for n <- 0 until 10 do
      assertEquals(
        queue.offer(Seq.tabulate(100)(i => Bill(n * 100 + i, 1))),
        QueueOfferResult.Enqueued
      )
    until(committed == 900)
    queue.fail(IllegalStateException("a test"))
    assertEquals(stored.failure.getMessage, "a test")
    assertEquals(committed, 900L)
    day.close()
    assertEquals(committed, 900L)

  test("a table that was closed fails the future of an append"):
    val path = Files.createTempDirectory("streams").resolve("day.bills")
    val day = Rows.create[Bill](path)
    day.close()
    val error = bills(10).grouped(2).runWith(RowStreams.appendTo(day)).failure
    assert(error.getMessage.contains("closed"), error)
    shared:
      val table = Rows.growing[Bill]
      table.close()
      val error = bills(10).grouped(2).runWith(RowStreams.appendTo(table)).failure
      assert(error.isInstanceOf[StaleReferenceException], error)

  test("wrong arguments are refused with their values"):
    shared:
      val table = Rows.growing[Bill]
      assertEquals(
        intercept[IllegalArgumentException](RowStreams.source(table, -1)).getMessage,
        "batchRows must be at least 1, but is -1"
      )
    val day = Rows.create[Bill](Files.createTempDirectory("streams").resolve("day.bills"))
    try
      assertEquals(
        intercept[IllegalArgumentException](RowStreams.appendTo(day, commitRows = 0)).getMessage,
        "commitRows must be at least 1, but is 0"
      )
    finally day.close()
end RowStreamsTest

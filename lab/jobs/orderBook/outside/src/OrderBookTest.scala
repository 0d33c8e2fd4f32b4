package orderBook

import java.nio.file.{Files, Path}
import java.nio.{ByteBuffer, ByteOrder}
import undercroft.memory.Region
import undercroft.tools.Suite

class OrderBookTest extends Suite:
  private def withFile[A](messages: Long, live: Int, seed: Long)(f: Path => A): A =
    val file = Files.createTempFile("messages", ".bin")
    try
      Generate.write(file, messages, live, seed)
      f(file)
    finally Files.delete(file)

  private def bytes(messages: Long, live: Int, seed: Long): Seq[Byte] =
    withFile(messages, live, seed)(Files.readAllBytes(_).toSeq)

  /** The trades of some messages, then the orders that are there at the end. */
  private def results(newBook: Book.Orders => Book)(use: Book => Unit): (Seq[Any], Seq[Any]) =
    val (trades, orders) = (Seq.newBuilder[Any], Seq.newBuilder[Any])
    val book = newBook((id, price, quantity) => trades += ((id, price, quantity)))
    use(book)
    book.foreach((id, price, quantity) => orders += ((id, price, quantity)))
    (trades.result(), orders.result())

  private def books(use: (Book.Orders => Book) => Unit): Unit = Region.scoped:
    for newBook <- Seq[Book.Orders => Book](Ours(_), Heap(_), Agrona(_)) do use(newBook)

  test("an order trades with the best price first, and at a price with the oldest order first"):
    books: newBook =>
      val (trades, orders) = results(newBook): book =>
        book.limit(1, false, 102, 10)
        book.limit(2, false, 101, 10)
        book.limit(3, false, 101, 10)
        book.limit(4, true, 99, 5)
        book.limit(5, true, 101, 15)
        book.limit(6, true, 102, 30)
        book.market(false, 8)
      assertEquals(trades, Seq((2, 101, 10), (3, 101, 5), (3, 101, 5), (1, 102, 10), (6, 102, 8)))
      assertEquals(orders, Seq((4, 99, 5), (6, 102, 7)))

  test("a replaced order is the newest of its new price, and its old number is unknown"):
    books: newBook =>
      val (trades, orders) = results(newBook): book =>
        for id <- 1L to 5L do book.limit(id, true, 100, 10)
        book.replace(1, 6, 100, 3)
        book.replace(3, 7, 101, 4)
        book.cancel(1)
        book.cancel(3)
        book.cancel(5)
        book.replace(5, 8, 103, 1)
        book.market(false, 16)
      assertEquals(trades, Seq((7, 101, 4), (2, 100, 10), (4, 100, 2)))
      assertEquals(orders, Seq((4, 100, 8), (6, 100, 3)))

  test("the rest of a market order is dropped, and an empty book is used again"):
    books: newBook =>
      val (trades, orders) = results(newBook): book =>
        book.market(true, 5)
        for id <- 1L to 3L do
          book.limit(id, false, 100, 1)
          book.market(true, 5)
        book.limit(4, true, 100, 1)
      assertEquals(trades, Seq((1, 100, 1), (2, 100, 1), (3, 100, 1)))
      assertEquals(orders, Seq((4, 100, 1)))

  for (live, seed) <- Seq(1 -> 1, 50 -> 2, 20_000 -> 3) do
    test(s"all programs have the same trades and the same book for a day of $live live orders"):
      withFile(100_000, live, seed): file =>
        val runs = InTurns.round(file, live, number = 1)
        assertEquals(runs.map(_.program), InTurns.programs)
        assertEquals(runs.map(InTurns.answer).distinct.size, 1)
        assert(InTurns.answer(runs(0)).matches("trades \\d{4,5} [0-9a-f]{16}, orders \\d+ .*"))
        for run <- runs; time <- InTurns.Times do assert(InTurns.times(run)(time) > 0, run.program)

  test(
    "of the generated messages 82 % replace, 9 % are limits, 6 % cancel and 3 % are at the market"
  ):
    withFile(200_000, 1000, seed = 4): file =>
      val messages = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.nativeOrder)
      val kinds = (1000 until 201_000).map(index => messages.get(index * Day.Bytes + 22).toInt)
      val shares = kinds.groupMapReduce(identity)(_ => 1 / 200_000.0)(_ + _)
      for
        (kind, share) <- Seq(
          Day.Limit -> 0.09,
          Day.Replace -> 0.82,
          Day.Cancel -> 0.06,
          Day.Market -> 0.03
        )
      do assert((shares(kind) - share).abs < 0.01, shares)

  test("generated messages are equal for equal seeds only"):
    assertEquals(bytes(100, 10, seed = 5), bytes(100, 10, seed = 5))
    assertNotEquals(bytes(100, 10, seed = 5), bytes(100, 10, seed = 6))

  test("times are counted in steps of a thirty-second"):
    val times = Times()
    for nanos <- 1L to 10_000L do times.add(nanos)
    val found =
      """t50=(\d+) t99=(\d+) t999=(\d+) t9999=(\d+)""".r.findFirstMatchIn(times.percentiles("t"))
    for (text, exact) <- found.get.subgroups.zip(Seq(5000, 9900, 9990, 9999)) do
      assert(text.toDouble >= exact && text.toDouble <= exact * (1 + 1.0 / 32), text)
end OrderBookTest

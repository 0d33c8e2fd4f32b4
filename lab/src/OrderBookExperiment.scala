package undercroft.lab

/** A day of an order book as whole processes: the programs of `lab/jobs/orderBook`. */
object OrderBookExperiment extends Experiment:
  val name = "orderBook"
  val question =
    "How long does a message take in an order book of structs, and in books of objects?"
  val article = None
  val benchmarks = Seq("OrderBookDay")

  override val notes = Seq(
    "A call is a whole process, which handles 20 million messages in one thread: 82 % replace an " +
      "order, 9 % are limits, 6 % cancel an order, and 3 % are at the market, as in " +
      "exchange-core's benchmark. `messageNanos` is the mean of a message, with the start of its " +
      "code; the percentiles leave out the first tenth. `nanosOf` is the time in which a message " +
      "is handled, `delayOf` the time from its arrival, had one arrived every two microseconds: it " +
      "waits for the messages before it, as in a collection of garbage. All programs have a heap " +
      "of 2 GiB. Our book uses removed orders again, the others make new objects. In a small book, " +
      "which stays in the processor's cache, a search of our ordered map costs more than one of " +
      "TreeMap. Of the sizes and collectors of a goal, the pair that is worst for us counts. " +
      "exchange-core publishes 5 million operations a second, on other hardware and with risk checks."
  )

  override def slow(key: Key): Boolean = true

  override def atFirstLook(key: Key): Boolean = key.params("live") == "1000"

  def rival(key: Key): Rival = key.params("program") match
    case s"Heap-$_"   => Rival.Heap
    case s"Agrona-$_" => Rival.Agrona
    case _            => Rival.Undercroft

  private def day(program: String, live: String, counter: String) = Key(
    "OrderBookDay.run",
    "messages" -> "20000000",
    "live" -> live,
    "program" -> program
  ).counted(counter)

  /** A number of our book and of a book of objects, for both sizes. */
  private def days(counter: String, rivals: String*) =
    for live <- Seq("1000", "1000000"); rival <- rivals
    yield Pair(day("Ours", live, counter), day(rival, live, counter))

  val measures = Map(
    "order-book-vs-heap" -> Measure.Speedup(days("messageNanos", "Heap-G1", "Heap-ZGC")),
    "order-book-vs-agrona" -> Measure.Speedup(days("messageNanos", "Agrona-G1", "Agrona-ZGC")),
    "order-book-tail-vs-heap" -> Measure.Ratio(days("nanosOf9999", "Heap-G1", "Heap-ZGC")),
    "order-book-delay-vs-heap" -> Measure.Ratio(days("delayOf9999", "Heap-G1", "Heap-ZGC"))
  )

  val charts = Seq(
    Chart.Bars(
      "A message of the order book, by program and live orders",
      key =>
        Option.when(key.benchmark == "OrderBookDay.run:messageNanos"):
          s"${key.params("program")}, ${key.params("live")}"
    )
  )
end OrderBookExperiment

package undercroft.lab

/** Messages between two nodes, and streams, beside Apache Pekko. */
object ClusterExperiment extends Experiment:
  val name = "cluster"
  val question =
    "What does a message to another node cost, which ones are lost, and what does a stream cost?"
  val article = None

  override val notes = Seq(
    "Two actor systems of Pekko 1.1.3 in one JVM, which talk by TCP on loopback; their garbage is " +
      "counted together. `tell` is delivery at most once: a benchmark keeps at most 2000 messages " +
      "on the way, as Pekko drops messages that find its queue of 3072 full. `reliable` is Pekko's " +
      "reliable delivery by `ProducerController` and `ConsumerController`, and ours by " +
      "`ReliableDelivery.spawn`. Messages of 32 bytes have four Longs; Pekko writes them by its " +
      "serializers for Jackson CBOR and for Java.",
    "Overload: a hundred thousand messages at once, to a receiver that pauses for at least 50 " +
      "microseconds at each.",
    "Streams of Pekko: sixteen MiB from a buffer to a sink that discards them, beside Pekko's " +
      "converters for Java's streams over the same source and sink (time for a KiB); and a million " +
      "rows in batches of 4096 whose prices are added, beside a `Vector` of objects (time for a row)."
  )

  val benchmarks =
    Seq("ClusterMessages", "ClusterLatency", "ClusterOverload", "StreamedBytes", "StreamedRows")

  def rival(key: Key): Rival =
    val isOurs = Seq("OfStructs", "ofStructs", "bySegments").exists(key.benchmark.endsWith(_))
    if isOurs then Rival.Undercroft else Rival.Pekko

  override def atFirstLook(key: Key): Boolean = key.params.get("bytes").contains("32")

  private def messages(method: String, bytes: Int) =
    Key(s"ClusterMessages.$method", "bytes" -> bytes.toString)
  private def latency(method: String) =
    Key(s"ClusterLatency.$method").counted("nanosOf999")

  private def streamed(ours: String, pekko: String) = Seq(Pair(Key(ours), Key(pekko)))

  private def small(ours: String, pekko: String) =
    Seq(Pair(messages(ours, 32), messages(pekko, 32)))
  private def large(ours: String, pekko: String) =
    Seq(Pair(messages(ours, 1000), messages(pekko, 1000)))

  val measures = Map(
    "cluster-reliable-vs-pekko-cbor" ->
      Measure.Speedup(small("reliableOfStructs", "reliableOfCbor")),
    "cluster-reliable-vs-pekko-tell" -> Measure.Speedup(small("reliableOfStructs", "tellOfCbor")),
    "cluster-reliable-garbage-vs-pekko-tell" ->
      Measure.GarbageRatio(small("reliableOfStructs", "tellOfCbor")),
    "cluster-tell-vs-pekko-tell" -> Measure.Speedup(small("tellOfStructs", "tellOfCbor")),
    "cluster-tell-garbage-vs-pekko-tell" ->
      Measure.GarbageRatio(small("tellOfStructs", "tellOfCbor")),
    "cluster-large-reliable-vs-pekko-cbor" ->
      Measure.Speedup(large("reliableOfStructs", "reliableOfCbor")),
    "cluster-slowest-of-1000-vs-pekko" -> Measure.Ratio(
      Seq(Pair(latency("reliableOfStructs"), latency("reliableOfCbor")))
    ),
    "cluster-lost" -> Measure.Counted(
      Seq(Key("ClusterOverload.reliableOfStructs").counted("lost"))
    ),
    "stream-bytes-vs-pekko" ->
      Measure.Speedup(streamed("StreamedBytes.bySegments", "StreamedBytes.byJavaStreams")),
    "stream-rows-vs-pekko-objects" ->
      Measure.Speedup(streamed("StreamedRows.ofStructs", "StreamedRows.ofObjects"))
  )

  val charts = Seq(
    Chart.Bars("A message of 32 bytes", bar("ClusterMessages", "32")),
    Chart.Bars("A message of 1000 bytes", bar("ClusterMessages", "1000"))
  )

  private def bar(benchmark: String, bytes: String)(key: Key): Option[String] =
    Option.when(key.benchmark.startsWith(benchmark) && key.params.get("bytes").contains(bytes))(
      key.benchmark.drop(benchmark.length + 1)
    )
end ClusterExperiment

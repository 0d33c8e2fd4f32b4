package undercroft.lab

/** Structs in use: maps, trees, folds over columns, and code for any struct. */
object StructExperiment extends Experiment:
  val name = "struct"
  val question = "What do maps, trees and folds of structs cost, beside the heap's and C's?"
  val article = None

  val benchmarks = Seq(
    "MapAccess",
    "MapGrowth",
    "LargeMapGrowth",
    "MapMemory",
    "MapText",
    "MapScan",
    "OrderedMaps",
    "TextFilters",
    "WidePlaces",
    "WidePlacesInC",
    "BinaryTrees",
    "LiveTrees",
    "Programs",
    "ColumnFold",
    "ColumnFoldInC",
    "GenericCode"
  )

  override val notes = Seq(
    "A map's figure is of all keys: to look each up, or to enter each in a map that starts small " +
      "and grows. The line of heldBytes is what the map holds, on the heap and outside it.",
    "MapGrowth has the longest time that one new key took of those entered one by one, in " +
      "longestMicros, and in overMillisecond how many took longer than one: the system's own " +
      "interruptions are among them. LargeMapGrowth grows a map to 30 M entries five times with the " +
      "same keys: recurringNanos is the longest time from the millionth on that an entry takes each " +
      "time, told for each 4096 of them, and longestNanos the longest of all.",
    "Wide structs lie in L1, each beside an equal one; memcpy is called in C, once for each.",
    "Trees are those of the benchmarks game. The line of cpuMillis is the time of all processors " +
      "for the whole process, the collector's included.",
    "LiveTrees is a service that keeps the trees of its last 22 seconds, about 8 GB of them on a heap " +
      "with compressed references, and gets a thousand requests in each millisecond. The lines of " +
      "longestNanos and nanosOf9999 are the times from the arrival of a request to its end, the " +
      "line of cpuMillis is the processor time of 40 seconds.",
    "Programs are run once, in a fresh JVM: a list is reversed in place, places are found in a " +
      "k-d tree, a book of offers is traded on, bodies attract one another, words are counted. " +
      "The lines of heldBytes are what they hold in the end, on the heap and outside it.",
    "Generic code was run on six types of table before, where it says ofMany. What is named " +
      "inline is compiled for the types of each use; the goal is judged by what is not, each beside " +
      "the same code for the known type: a fold, a loop over indices, and a reversal."
  )

  def rival(key: Key): Rival =
    val method = key.benchmark.dropWhile(_ != '.').drop(1).toLowerCase
    if method.startsWith("segment") then Rival.Ffm
    else if Seq("compiledc", "memcpy").exists(method.contains) then Rival.C
    else if method.contains("agrona") then Rival.Agrona
    else if method.contains("hppc") then Rival.Hppc
    else if heap.exists(method.contains) then Rival.Heap
    else Rival.Undercroft

  private val heap = Seq("map", "heap").map(_.toLowerCase)

  private val (small, large) = ("10000", "1000000")
  private def map(doing: String, whose: String, entries: String) =
    Key(s"MapAccess.$doing$whose", "entries" -> entries)
  private def maps(whose: String, sizes: (doing: String, entries: String)*) =
    for (doing, entries) <- sizes
    yield Pair(map(doing, "Ours", entries), map(doing, whose, entries))
  private def boxed(whose: String) = maps(whose, ("get", large), ("put", large))
  private def primitive(whose: String) = maps(whose, ("get", small), ("get", large), ("put", large))
  private def text(method: String, rival: String) =
    for entries <- Seq(small, large)
    yield Pair(
      Key(s"MapText.$method", "entries" -> entries),
      Key(s"MapText.$rival", "entries" -> entries)
    )
  private def filter(method: String, rival: String) =
    Pair(Key(s"TextFilters.$method", filtered), Key(s"TextFilters.$rival", filtered))
  private def filtered = "rows" -> "2000000"
  private def heldText(method: String) =
    Key(s"MapText.$method", "entries" -> large).counted("heldBytes")
  private def held(method: String) =
    Key(s"MapMemory.$method", "entries" -> "2000000").counted("heldBytes")
  private def orderedPair(doing: String) =
    def key(whose: String) = Key(s"OrderedMaps.$doing$whose", "entries" -> large)
    Pair(key("Ours"), key("TreeMap"))
  private def fold(rows: String) =
    Measure.Speedup(
      Seq(Pair(
        Key("ColumnFold.ours", "rows" -> rows),
        Key("ColumnFoldInC.compiledC", "rows" -> rows)
      ))
    )
  private def wide(method: String, rival: String) =
    for fields <- Seq("64", "128", "250").map("fields" -> _)
    yield Pair(Key(s"WidePlaces.$method", fields), Key(s"WidePlaces.$rival", fields))
  private def trees(method: String, counter: String) =
    Key(
      s"LiveTrees.$method",
      "parts" -> "22",
      "seconds" -> "40",
      "perMillisecond" -> "1000"
    ).counted(counter)
  private def generic(doing: String) =
    Pair(
      Key(s"GenericCode.${doing}Generic", "ofMany" -> "false"),
      Key(s"GenericCode.${doing}Known", "ofMany" -> "false")
    )

  val measures = Map(
    "wide-copy-vs-segment" -> Measure.Ratio(wide("copy", "segmentCopy")),
    "wide-compare-vs-segment" -> Measure.Ratio(wide("compare", "segmentMismatch")),
    "wide-hash-vs-segment" -> Measure.Ratio(wide("hash", "segmentMismatch")),
    "generic-code-vs-known-types" -> Measure.Ratio(Seq("total", "loop", "reverse").map(generic)),
    "struct-map-vs-long-map" -> Measure.Speedup(boxed("LongMap")),
    "struct-map-vs-hash-map" -> Measure.Speedup(boxed("HashMap")),
    "struct-map-vs-agrona" -> Measure.Ratio(primitive("Agrona")),
    "struct-map-vs-hppc" -> Measure.Ratio(primitive("Hppc")),
    "struct-map-memory-vs-hash-map" -> Measure.Ratio(Seq(Pair(held("ours"), held("hashMap")))),
    "ordered-map-vs-tree-map" -> Measure.Speedup(
      Seq("get", "floor", "put").map(orderedPair)
    ),
    "ordered-map-window-vs-tree-map" -> Measure.Speedup(Seq(orderedPair("window"))),
    "ordered-map-memory-vs-tree-map" -> Measure.Ratio(
      Seq(Pair(held("orderedOurs"), held("treeMap")))
    ),
    "struct-map-longest-entry" -> Measure.Counted(
      Seq(Key("LargeMapGrowth.ours", "entries" -> "30000000").counted("recurringNanos"))
    ),
    "struct-map-text-vs-hash-map" -> Measure.Speedup(text("getOurs", "getHashMap")),
    "struct-map-text-bytes-vs-hash-map" -> Measure.Speedup(text("getBytes", "getHashMapOfBytes")),
    "struct-map-text-memory-vs-hash-map" -> Measure.Ratio(Seq(
      Pair(heldText("getOurs"), heldText("getHashMap"))
    )),
    "text-filters-vs-objects" -> Measure.Speedup(
      Seq(filter("equalOurs", "equalHeap"), filter("startsOurs", "startsHeap"))
    ),
    "text-order-vs-objects" -> Measure.Speedup(Seq(filter("beforeOurs", "beforeHeap"))),
    "option-exists-vs-match" -> Measure.Ratio(Seq(filter("existsOurs", "matchOurs"))),
    "live-trees-longest-pause" -> Measure.Counted(Seq(trees("regions", "longestNanos"))),
    "live-trees-tail-vs-heap" -> Measure.Ratio(
      for counter <- Seq("nanosOf9999", "longestNanos"); heap <- Seq("heapG1", "heapZgc")
      yield Pair(trees("regions", counter), trees(heap, counter))
    ),
    "live-trees-processor-vs-heap" -> Measure.Ratio(
      for heap <- Seq("heapG1", "heapZgc")
      yield Pair(trees("regions", "cpuMillis"), trees(heap, "cpuMillis"))
    ),
    "column-fold-vs-c-in-l2" -> fold("65536")
  )

  override def atFirstLook(key: Key): Boolean =
    key.params.get("entries").forall(!Set(
      "10000",
      "30000000"
    )(_)) && key.params.get("rows").forall(Set("65536", "2000000")(_)) &&
      key.params.get("ofMany").forall(_ == "false") &&
      key.params.get("fields").forall(_ == "128") && !key.benchmark.startsWith("LiveTrees") &&
      key.params.get("program").forall(_ == "kd-tree")

  private def method(key: Key) = key.benchmark.dropWhile(_ != '.').drop(1)

  val charts = Seq(
    Chart.lines("Looking up every key of a map", "entries")(key =>
      Option.when(key.benchmark.startsWith("MapAccess.get"))(method(key))
    ),
    Chart.lines("An ordered map's lookups, entries, windows and loops", "entries")(key =>
      Option.when(key.benchmark.startsWith("OrderedMaps."))(method(key))
    ),
    Chart.lines("Looking up every text of a map", "entries")(key =>
      Option.when(key.benchmark.startsWith("MapText.get"))(method(key))
    ),
    Chart.lines("Entering every key in a map", "entries")(key =>
      Option.when(key.benchmark.startsWith("MapAccess.put"))(method(key))
    ),
    Chart.Bars(
      "Programs, each once in a fresh JVM",
      key =>
        Option.when(Set("Programs.heap", "Programs.region")(key.benchmark)):
          s"${key.params("program")}, ${method(key)}"
    ),
    Chart.lines("A wide struct in L1, by the number of its fields", "fields")(key =>
      Option.when(key.benchmark.startsWith("WidePlaces"))(method(key))
    ),
    Chart.Bars(
      "A fold over an Int column, 134 M numbers",
      key =>
        Option.when(key.benchmark.startsWith("ColumnFold")):
          s"${method(key)}, ${key.params("rows")} rows"
    )
  )
end StructExperiment

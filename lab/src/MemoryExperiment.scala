package undercroft.lab

/** The figures that the design rests on: access, loops and allocation, by way to memory. */
object MemoryExperiment extends Experiment:
  val name = "memory"
  val question = "What do access, loops and allocation cost outside the heap, by way to memory?"
  val article = None

  val benchmarks =
    Seq(
      "FieldAccess",
      "AtomicAccess",
      "MixedSegments",
      "InPlaceLoop",
      "TwoArrayMap",
      "AosSum",
      "RandomGather",
      "HeapGather",
      "SegmentGather",
      "FirstTouch",
      "Downcall",
      "Allocation",
      "RefGather",
      "RegionAllocation",
      "LiveBlocks",
      "RemoteFrees",
      "WideRows",
      "WideFields",
      "FreshProcess",
      "InliningCliff"
    )

  override val notes = Seq(
    "RandomGather and its like read as many places as there are structs, or four million where " +
      "there are more: a figure is of all of them together.",
    "FirstTouch writes one byte in each 4 KiB of 64 MiB: pages that are new to the process, from " +
      "mmap to munmap, and pages that it has."
  )

  private val firstSizes =
    Set("64", "1000", "10000", "32", "131072")
  override def atFirstLook(key: Key): Boolean =
    val sizes = key.params - "pages"
    val small = sizes.values.forall(firstSizes) || key.benchmark.startsWith(
      "FreshProcess"
    ) && !key.params.get("pages").contains("huge")
    val widths = !key.benchmark.startsWith("WideRows") || wideAtFirst(key.benchmark)
    small && widths || key.benchmark.startsWith("FirstTouch")

  private def wideAtFirst(method: String) =
    Seq("8", "48").exists(width => method.filter(_.isDigit) == width)

  def rival(key: Key): Rival =
    val method = key.benchmark.dropWhile(_ != '.').drop(1).toLowerCase
    if key.params.get("program").contains("FirstArena") then Rival.Ffm
    else if key.benchmark.startsWith("FirstTouch") then Rival.Malloc
    else if method.contains("unsafe") then Rival.Unsafe
    else if method.contains("ffm") || method.contains("arena") then Rival.Ffm
    else if method.contains("downcall") then Rival.Malloc
    else if method.contains("heap") then Rival.Heap
    else Rival.Undercroft

  private def key(name: String, params: (String, String)*) = Key(name, params*)
  private def sized(name: String, param: String)(ours: String, rival: String)(values: String*) =
    values.map: value =>
      Pair(key(s"$name.$ours", param -> value), key(s"$name.$rival", param -> value))

  private def loop(ours: String, rival: String)(values: String*) =
    sized("InPlaceLoop", "elements")(ours, rival)(values*)
  private val gather =
    for pages <- Seq("small", "huge"); size <- Seq("8192", "131072", "1048576", "8388608")
    yield Pair(
      key("RefGather.view", "kibibytes" -> size, "pages" -> pages),
      key("RandomGather.unsafe", "kibibytes" -> size, "pages" -> pages)
    )
  private def allocated(method: String) =
    Measure.Ratio(
      Seq(
        Pair(
          key(s"RegionAllocation.$method", "bytes" -> "64"),
          key("Allocation.unsafe", "bytes" -> "64")
        )
      )
    )

  private val widths = Seq("8", "16", "32", "48", "64")
  private def wide(method: String, width: String) = key(s"WideRows.$method$width")
  private val wideMeasures = widths.flatMap: width =>
    val doors = Seq("one", "whole", "store")
    val garbage = Measure.Garbage(doors.map(d => wide(s"${d}Rows", width)))
    Option.when(width.length == 1 || width == "16"):
      s"wide-rows-$width-vs-unsafe" -> Measure.Ratio(
        doors.map(door => Pair(wide(s"${door}Rows", width), wide(s"${door}Unsafe", width)))
      )
    .toSeq ++ Option.when(width != "64")(s"wide-rows-$width-garbage" -> garbage)

  private def field(method: String, width: String) = key(s"WideFields.$method", "fields" -> width)
  private val fieldMeasures = Seq("64", "128", "250").flatMap: width =>
    val ours = Seq("refRows", "foldRows", "updateRows")
    val rivals = Seq("readUnsafe", "readUnsafe", "updateUnsafe")
    Seq(
      s"wide-field-$width-vs-unsafe" -> Measure.Ratio(
        ours.zip(rivals).map((our, rival) => Pair(field(our, width), field(rival, width)))
      ),
      s"wide-field-$width-garbage" -> Measure.Garbage(ours.map(field(_, width)))
    )

  private val hotPaths =
    Seq(key("FieldAccess.readRef"), key("FieldAccess.writeRef")) ++
      Seq("ints", "longs").map(kind => key(s"InPlaceLoop.${kind}Column", "elements" -> "10000")) ++
      Seq(
        key("InPlaceLoop.structsRows", "elements" -> "10000"),
        key("TwoArrayMap.columns", "elements" -> "10000"),
        key("RegionAllocation.region", "bytes" -> "64"),
        key("RegionAllocation.malloc", "bytes" -> "64")
      ) ++
      (for part <- Seq("field", "balance"); table <- Seq("Rows", "PackedRows", "Columns")
      yield key(s"AosSum.$part$table", "trades" -> "1000"))

  private def fresh(program: String) = key("FreshProcess.run", "program" -> program)

  val measures = (wideMeasures ++ fieldMeasures).toMap ++ Map(
    "start-vs-ffm" -> Measure.Ratio(Seq(Pair(fresh("FirstRegion"), fresh("FirstArena")))),
    "field-loop-rows-vs-unsafe" -> Measure.Ratio(
      sized("AosSum", "trades")("fieldRows", "fieldUnsafe")("1000", "20000000")
    ),
    "ref-in-l1-above-unsafe" -> Measure.Difference(
      Seq(Pair(key("FieldAccess.readRef"), key("FieldAccess.readUnsafe")))
    ),
    "ref-array-gather-vs-unsafe" -> Measure.Ratio(gather),
    "in-place-rows-vs-unsafe" -> Measure.Ratio(
      loop("structsRows", "structsUnsafe")("10000", "20000000")
    ),
    "in-place-int-column-in-cache" -> Measure.Speedup(loop("intsColumn", "intsUnsafe")("10000")),
    "in-place-long-column" -> Measure.Speedup(loop("longsColumn", "longsUnsafe")("10000")),
    "allocate-64-bytes-region" -> allocated("region"),
    "allocate-64-bytes-malloc" -> allocated("malloc"),
    "hot-paths-garbage" -> Measure.Garbage(hotPaths)
  )

  val charts = Seq(
    Chart.lines("Random gather, 4 KiB pages", "kibibytes")(key =>
      Option.when(key.benchmark.contains("Gather.") && !key.params.get("pages").contains("huge")):
        key.benchmark.dropWhile(_ != '.').drop(1)
    ),
    Chart.Bars(
      "A block of 64 bytes",
      key =>
        Option.when(key.benchmark.contains("Allocation") && key.params.get("bytes").contains("64")):
          key.benchmark
    ),
    bars("A block of 64 bytes among 50 000 live ones", "LiveBlocks", "bytes" -> "64"),
    bars("A block of 64 bytes that another thread frees", "RemoteFrees", "bytes" -> "64"),
    bars("One field of a struct by its address, in L1", "FieldAccess"),
    bars("Add one to 10 000 elements", "InPlaceLoop", "elements" -> "10000"),
    bars("Add one to 20 M elements", "InPlaceLoop", "elements" -> "20000000"),
    bars(
      "A function of one array into another, 10 000 Longs",
      "TwoArrayMap",
      "elements" -> "10000"
    ),
    bars("A sum over 1 000 structs", "AosSum", "trades" -> "1000"),
    byWidth("One field of a row", "one"),
    byWidth("A whole row", "whole"),
    byWidth("A row stored", "store"),
    bars("A copy of all fields in one method", "InliningCliff"),
    bars("Volatile, compare-and-set, get-and-add", "AtomicAccess"),
    bars("Segments of one kind and of two in one place", "MixedSegments"),
    bars("The shortest call into C", "Downcall"),
    Chart.Bars(
      "The first touch of 64 MiB",
      key =>
        Option.when(key.benchmark.startsWith("FirstTouch.")):
          s"${key.benchmark.stripPrefix("FirstTouch.")}, ${key.params("pages")} pages"
    )
  )

  /** By the number of fields, which is the suffix of the method's name. */
  private def byWidth(title: String, door: String) = Chart.Lines(
    s"$title, by the number of its fields",
    "fields",
    key => key.benchmark.filter(_.isDigit).toDouble,
    key =>
      Option.when(key.benchmark.startsWith(s"WideRows.$door")):
        key.benchmark.stripPrefix("WideRows.").filterNot(_.isDigit)
  )

  private def bars(title: String, name: String, params: (String, String)*) = Chart.Bars(
    title,
    key =>
      Option.when(key.benchmark.startsWith(s"$name.") && params.toMap == key.params):
        key.benchmark.stripPrefix(s"$name.")
  )
end MemoryExperiment

package undercroft.lab

/** Sorts of tables of structs, by one key and by two. */
object SortsExperiment extends Experiment:
  val name = "sorts"
  val question = "What does a sort of 50 million structs cost, beside one of objects?"
  val article = None

  val benchmarks = Seq("SortRows", "SortObjects", "SortLongs")

  override val notes = Seq(
    "A sort is one call in a new JVM, of a table that was not sorted before. Longs are sorted by the " +
      "JDK, which has vector instructions for that.",
    "Two keys are a price below 1000, ascending, and an Int that is nearly unique, descending."
  )

  def rival(key: Key): Rival =
    if key.benchmark.startsWith("SortRows") then Rival.Undercroft else Rival.Heap

  private val size = "rows" -> "50000000"
  private def rows(sort: String) = Key(s"SortRows.$sort", size, "layout" -> "rows")

  val measures = Map(
    "sort-two-keys-vs-objects" -> Measure.Speedup(
      for sort <- Seq("inPlaceByTwo", "stableByTwo")
      yield Pair(rows(sort), Key("SortObjects.objectsByTwoKeys", size))
    ),
    "sort-vs-objects" -> Measure.Speedup(
      Seq(Pair(rows("inPlace"), Key("SortObjects.objectsByKey", size)))
    ),
    "sort-vs-longs" -> Measure.Ratio(
      Seq(Pair(rows("inPlace"), Key("SortLongs.longsThemselves", size)))
    )
  )

  override def atFirstLook(key: Key): Boolean =
    !key.benchmark.endsWith("ByTwo") && !key.benchmark.endsWith("ByTwoKeys") &&
      key.params.get("layout").forall(_ == "rows")

  private def method(key: Key) = key.benchmark.dropWhile(_ != '.').drop(1)

  val charts = Seq(
    Chart.Bars(
      "50 M rows by an Int key, or by two",
      key => Some(s"${method(key)}${key.params.get("layout").fold("")(layout => s", $layout")}")
    )
  )
end SortsExperiment

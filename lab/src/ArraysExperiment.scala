package undercroft.lab

/** The first article: what a ClassTag costs where an array is made. */
object ArraysExperiment extends Experiment:
  val name = "arrays"
  val question = "What does it cost to make an array, and where does Scala 3 pay for a ClassTag?"
  val article = None
  val benchmarks = Seq("NewBytes", "ClassTags")

  def rival(key: Key): Rival =
    if key.benchmark.contains("Ours") then Rival.Undercroft else Rival.Heap

  private val lengths = Seq("10", "1000", "100000")
  private def asCheapAs(ours: String, loop: String) = Measure.Ratio(lengths.map: length =>
    Pair(Key(s"ClassTags.$ours", "length" -> length), Key(s"ClassTags.$loop", "length" -> length)))

  val measures = Map(
    "array-fill-vs-loop" -> asCheapAs("fillOurs", "fillLoop"),
    "array-tabulate-vs-loop" -> asCheapAs("tabulateOurs", "tabulateLoop"),
    "array-generic-vs-new" -> asCheapAs("ofDimOurs", "newArray")
  )

  val charts = Seq(
    Chart.Lines("A new byte array, ns by size", "bytes", key => named(key, "NewBytes.")),
    Chart.Lines("An array of Ints, ns by length", "length", key => named(key, "ClassTags."))
  )

  private def named(key: Key, start: String) =
    Option.when(key.benchmark.startsWith(start))(key.benchmark.drop(start.length))
end ArraysExperiment

package undercroft.lab

/** The first article: the cost of a ClassTag when an array is created. */
object ArraysExperiment extends Experiment:
  val name = "arrays"
  val question =
    "What does it cost to make an array, and where does Scala still pay for a ClassTag?"

  val article = Some(
    Article(
      "Array.ofDim and new Array",
      Some("Konrad Malawski, Tales from the Dungeon, 2018"),
      "arrays",
      "Array.ofDim carries a ClassTag and a virtual call that new Array does not: measured with " +
        "JMH and its stack and gc profilers, on Scala 2, for one to three dimensions.",
      Seq(
        Printed(
          Seq("32 bytes", "the article"),
          Seq("Scala 2.13", "Scala 3"),
          Seq(
            past("Array.ofDim", "7.380 ± 2.438 ns", "ofDim1", Shown.time(1)),
            past("new Array", "6.691 ± 0.357 ns", "newArray1", Shown.time(1)),
            past("allocated by a call", "48 B", "ofDim1", Shown.bytes),
            past("allocated in a second", "", "ofDim1", Shown.rate),
            past("garbage collections", "", "ofDim1", Shown.collections)
          )
        )
      ),
      results =>
        for
          in213 <- ArticleTable.times(results, small("ofDim1"), small("newArray1"))
          in3 <- ArticleTable.times(results, inScala3, small("newArray1"))
        yield s"Array.ofDim took 1.1x the time of new Array; here it takes $in213 on Scala 2.13, and " +
          s"$in3 on Scala 3."
    )
  )

  private def past(line: String, figure: String, method: String, told: Result => String) =
    val scala3 = Option.when(method == "ofDim1")(Shown(inScala3, told))
    Past(Seq(line, figure), Seq(Some(Shown(small(method), told)), scala3))

  private def small(method: String) = Key(s"ArraysBenchmark.$method", "bytes" -> "32")
  private def inScala3 = Key("ArraysInScala3.ofDim1", "bytes" -> "32")

  override val notes = Seq(
    "Scala 2.13 compiles every Array.ofDim to a call of the library with a ClassTag: the " +
      "article's benchmark runs on that compiler with that library, in JVMs of its own. Scala 3 " +
      "compiles Array.ofDim of a statically known element type to the bare instruction, newarray " +
      "for one dimension and multianewarray for more, which the tests read from the class file: multianewarray takes up to six times as " +
      "long as loops, which HeapArrays.ofDim compiles to. " +
      "There a ClassTag still costs where the element type arrives as evidence, and in " +
      "Array.fill, Array.tabulate and toArray; toArray pays once a call, and its own copy of a " +
      "collection is faster than a loop over it.",
    "zeroFill fills an array that is there already: it is the part of newArray that writes zeros. " +
      "The blocks outside the heap, and the arrays of a striped pool, are of the same sizes; those " +
      "named Uninit leave the zeros out."
  )

  val benchmarks =
    Seq("ArraysBenchmark", "ArraysInScala3", "NewBytes", "NewBlocks", "ClassTags", "ToArrays")

  def rival(key: Key): Rival =
    if ours(key) then Rival.Undercroft
    else Rival.Heap

  private def ours(key: Key) =
    key.benchmark.startsWith("NewBlocks") || key.benchmark.toLowerCase.endsWith("ours")

  private val firstSizes = Set("1024", "1000")
  override def atFirstLook(key: Key): Boolean = key.params.values.exists(firstSizes)

  override def sampled(key: Key): Boolean =
    key.benchmark.startsWith("ArraysBenchmark") || key.benchmark.startsWith("ArraysInScala3")

  private val lengths = Seq("10", "1000", "100000")
  private def asCheapAs(ours: String, loop: String) = Measure.Ratio(lengths.map: length =>
    Pair(Key(s"ClassTags.$ours", "length" -> length), Key(s"ClassTags.$loop", "length" -> length)))

  private val collections = Seq("Vector", "List", "ArraySeq")
  private def copied(method: String, collection: String, length: String) =
    Key(s"ToArrays.$method", "collection" -> collection, "length" -> length)

  val measures = Map(
    "array-fill-vs-loop" -> asCheapAs("fillOurs", "fillLoop"),
    "array-tabulate-vs-loop" -> asCheapAs("tabulateOurs", "tabulateLoop"),
    "array-generic-vs-new" -> asCheapAs("ofDimOurs", "newArray"),
    "array-to-array-vs-loop" -> Measure.Ratio(
      for collection <- collections; length <- lengths
      yield Pair(copied("ours", collection, length), copied("loop", collection, length))
    )
  )

  private def dimensions(count: Int, words: String) =
    val names = Map(
      s"ArraysBenchmark.newArray$count" -> "new Array, Scala 2.13",
      s"ArraysBenchmark.ofDim$count" -> "ofDim, Scala 2.13",
      s"ArraysInScala3.ofDim$count" -> "ofDim, Scala 3",
      s"ArraysInScala3.ofDim${count}Ours" -> "HeapArrays.ofDim"
    )
    Chart.lines(s"Bytes in $words, by bytes in all", "bytes")(key => names.get(key.benchmark))

  private def tagged(title: String, methods: String*) = Chart.lines(title, "length"): key =>
    methods.find(method => key.benchmark == s"ClassTags.$method")

  val charts = Seq(
    dimensions(1, "one dimension"),
    dimensions(2, "two dimensions"),
    dimensions(3, "three dimensions"),
    Chart.lines("A new byte array, a block outside the heap and a pooled array, by size", "bytes")(
      key =>
        Seq("NewBytes.", "NewBlocks.").find(key.benchmark.startsWith).map(key.benchmark.stripPrefix)
    ),
    tagged(
      "An element type as evidence",
      "newArray",
      "ofDimKnown",
      "ofDimGeneric",
      "ofDimOurs"
    ),
    tagged("fill", "fillLoop", "fillStandard", "fillOurs"),
    tagged("tabulate", "tabulateLoop", "tabulateStandard", "tabulateOurs")
  ) ++ collections.map: collection =>
    Chart.lines(
      s"toArray of ${if collection == "ArraySeq" then "an" else "a"} $collection",
      "length"
    ): key =>
      Option.when(key.params.get("collection").contains(collection)):
        key.benchmark.stripPrefix("ToArrays.")
end ArraysExperiment

package undercroft.lab

/** The third article: output that grows, from 1 MiB to 8 GiB, in small writes. */
object OutputExperiment extends Experiment:
  val name = "output"
  val question = "What does a byte cost that is written in small pieces, from 1 MiB to 8 GiB?"

  val article = Some(
    Article(
      "ByteArrayOutputStream is really, really slow sometimes in JDK6",
      Some("Henry Robinson, The Paper Trail, 2014"),
      "growingOutput",
      "An array can be doubled up to 1 GiB. Past that JDK 6 copied all of it for each write, and " +
        "later ones end at 2 GiB. A short run lets the doubling end at 16 MiB. The whole is 1 KiB " +
        "more than that, and 256 bytes more than 1 GiB.",
      Seq(
        Printed(
          Seq("structure", "the article"),
          Seq("JDK 6's rule", "JDK 7's rule", "ByteOutput"),
          Seq(
            past("GrowthRules", "half", "half of 16 MiB", ""),
            past("GrowthRules", "whole", "more than 16 MiB", ""),
            past("GrowthRulesOfGibibyte", "half", "half of 1 GiB", "500 ms"),
            past("GrowthRulesOfGibibyte", "whole", "more than 1 GiB", "minutes"),
            pastEnd("16", "more than the end at 32 MiB"),
            pastEnd("1024", "more than the end at 2 GiB")
          )
        )
      ),
      results =>
        def growth(method: String) =
          ArticleTable.times(results, structure(method, "whole"), structure(method, "half"))
        for old <- growth("exactNeed"); ours <- growth("byteOutput")
        yield "Twice the structure took minutes instead of half a second; here the whole takes " +
          s"$old the time of the half by JDK 6's rule, and $ours in a ByteOutput."
    )
  )

  private def past(benchmark: String, part: String, label: String, time: String) =
    val methods = Seq("exactNeed", "largestArray", "byteOutput")
    val shown = methods.map(method => Shown(Key(s"$benchmark.$method", "structure" -> part)))
    Past(Seq(label, time), shown.map(Some(_)))

  private def pastEnd(mebibytes: String, label: String) =
    def end(method: String) = Key(s"GrowthEnd.$method", "mebibytes" -> mebibytes)
    val thrown = Shown(end("largestArray"), _ => "OutOfMemoryError")
    Past(Seq(label, ""), Seq(None, Some(thrown), Some(Shown(end("byteOutput")))))

  val benchmarks =
    Seq(
      "AnySize",
      "ArraySize",
      "OneWrite",
      "GrowthRules",
      "GrowthRulesOfGibibyte",
      "GrowthEnd"
    ) ++ CatalogCrossing.benchmarks

  override val notes = Seq(
    "Heaps are touched before they are measured, so what lies on them has pages already. New " +
      "pages of an output (cold) cost what the system takes for them; where a virtual machine " +
      "gives unused memory back to its host, that can be ten times what writing costs."
  ) ++ CatalogCrossing.notes

  override def lack(key: Key): Option[String] =
    CatalogCrossing.lack(key).orElse(super.lack(key))

  def rival(key: Key): Rival =
    val method = key.benchmark.dropWhile(_ != '.').drop(1).toLowerCase
    if CatalogCrossing.isOurs(key) then Rival.Undercroft
    else if method.endsWith("byteoutput") || method.endsWith("batches") || method == "buffer" ||
      key.benchmark.startsWith("OneWrite.")
    then
      Rival.Undercroft
    else if method.endsWith("c") then Rival.C
    else if method == "okio" then Rival.Okio
    else Rival.Heap

  override def atFirstLook(key: Key): Boolean =
    key.params.get("mebibytes").forall(Set("1", "256").contains) &&
      key.params.get("megabytes").forall(Set("1", "100").contains)

  override def onlyInFull(key: Key): Boolean =
    key.benchmark.startsWith("GrowthRulesOfGibibyte.") ||
      key.benchmark.startsWith("GrowthEnd.") && key.params("mebibytes") == "1024"

  override def slow(key: Key): Boolean =
    key.params.get("mebibytes").contains("8192") ||
      onlyInFull(
        key
      ) || key.benchmark == "ArraySize.byteArrayOutputStream" && key.params("mebibytes") == "1024"

  private val loads = Seq("mixed", "twos")
  private val sizes = Seq("1", "16", "256", "1024", "8192")
  private def key(method: String, load: String, mebibytes: String) =
    Key(method, "load" -> load, "mebibytes" -> mebibytes)
  private def againstC(load: String, ours: String = "ByteOutput") =
    Measure.Ratio(
      sizes.map: size =>
        Pair(
          key(s"AnySize.reused$ours", load, size),
          key("AnySize.reusedC", load, size)
        )
    )

  /** Bytes that a call writes: small sizes several times. */
  private def written(key: Key): Double =
    math.max((key.params("mebibytes").toLong << 20).toDouble, bench.SmallWrites.least.toDouble)
  private def straight(load: String, ours: String) =
    Measure.Straightness(
      for size <- sizes; one = key(s"AnySize.$ours", load, size) yield (one, written(one))
    )

  /** Beside arrays on a heap whose pages were all touched before: so our pages are not new either.
    */
  private def faster(rival: String, sizes: String*) =
    Measure.Speedup(
      for load <- loads; size <- sizes
      yield Pair(
        key("AnySize.reusedByteOutput", load, size),
        key(s"ArraySize.$rival", load, size)
      )
    )
  private def structure(method: String, part: String) =
    Key(s"GrowthRules.$method", "structure" -> part)

  val measures = Map(
    "output-mixed-vs-c-reused" -> againstC("mixed"),
    "output-mixed-in-batches-vs-c-reused" -> againstC("mixed", "Batches"),
    "output-twos-vs-c-reused" -> againstC("twos", "Batches"),
    "output-twos-one-by-one-vs-c-reused" -> againstC("twos"),
    "output-vs-byte-array-output-stream" -> faster("byteArrayOutputStream", "1024"),
    "output-vs-okio" -> faster("okio", "1", "16", "256", "1024"),
    "output-straight-line" -> straight("mixed", "reusedByteOutput"),
    "output-straight-line-of-twos" -> straight("twos", "reusedByteOutput"),
    "output-whole-structure-vs-half" -> Measure.Ratio(
      Seq(Pair(structure("byteOutput", "whole"), structure("byteOutput", "half")))
    ),
    "output-garbage" -> Measure.Garbage(loads.map(load => Key(s"OneWrite.$load")))
  ) ++ CatalogCrossing.measures

  val charts =
    loads.map(load =>
      Chart.Lines(
        s"A byte of small writes ($load), by how many there are",
        "mebibytes",
        key => key.params("mebibytes").toDouble,
        key =>
          Option.when(key.params.get("load").contains(load)):
            key.benchmark.dropWhile(_ != '.').drop(1)
        ,
        key => 1 / written(key)
      )
    ) :+
      Chart.Bars(
        "A structure and its half, by the rule of growth",
        key =>
          Option.when(key.benchmark.startsWith("GrowthRules.")):
            s"${key.benchmark.drop(12)}, ${key.params("structure")}"
      ) :+ CatalogCrossing.chart
end OutputExperiment

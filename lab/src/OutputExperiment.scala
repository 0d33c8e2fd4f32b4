package undercroft.lab

/** The third article: output that grows, from 1 MiB to 8 GiB, in small writes. */
object OutputExperiment extends Experiment:
  val name = "output"
  val question = "What does a byte cost that is written in small pieces, from 1 MiB to 8 GiB?"

  val article = Some(
    Article(
      "A catalog serialised by Thrift into a ByteArrayOutputStream",
      Seq("MB", "seconds"),
      Seq(
        Seq("372", "1.5"),
        Seq("745", "4.0"),
        Seq("1090", "6.6"),
        Seq("above 2000", "out of memory; on JDK 6 minutes from 1 GiB on")
      )
    )
  )

  val benchmarks = Seq("AnySize", "ArraySize", "GrowthRules")

  def rival(key: Key): Rival =
    val method = key.benchmark.dropWhile(_ != '.').drop(1).toLowerCase
    if method.endsWith("byteoutput") then Rival.Undercroft
    else if method.endsWith("c") then Rival.C
    else if method == "okio" then Rival.Okio
    else Rival.Heap

  private val loads = Seq("mixed", "twos")
  private def key(method: String, load: String, mebibytes: String) =
    Key(method, "load" -> load, "mebibytes" -> mebibytes)
  private def againstC(pages: String, load: String) =
    Measure.Ratio(
      Seq("1", "16", "256", "1024", "8192").map: size =>
        Pair(
          key(s"AnySize.${pages}ByteOutput", load, size),
          key(s"AnySize.${pages}C", load, size)
        )
    )
  private def faster(rival: String, sizes: String*) =
    Measure.Speedup(
      for load <- loads; size <- sizes
      yield Pair(
        key("ArraySize.coldByteOutput", load, size),
        key(s"ArraySize.$rival", load, size)
      )
    )
  private def structure(method: String, part: String) =
    Key(s"GrowthRules.$method", "structure" -> part)

  val measures = Map(
    "output-mixed-vs-c-cold" -> againstC("cold", "mixed"),
    "output-mixed-vs-c-reused" -> againstC("reused", "mixed"),
    "output-twos-vs-c-cold" -> againstC("cold", "twos"),
    "output-twos-vs-c-reused" -> againstC("reused", "twos"),
    "output-vs-byte-array-output-stream" -> faster("byteArrayOutputStream", "1024"),
    "output-vs-okio" -> faster("okio", "1", "16", "256", "1024"),
    "output-whole-structure-vs-half" -> Measure.Ratio(
      Seq(Pair(structure("byteOutput", "whole"), structure("byteOutput", "half")))
    ),
    "output-garbage" -> Measure.Garbage(
      for load <- loads; size <- Seq("1", "1024")
      yield key("AnySize.reusedByteOutput", load, size)
    )
  )

  val charts =
    loads.map(load =>
      Chart.Lines(
        s"Small writes ($load), ms for at least 256 MiB",
        "mebibytes",
        key =>
          Option.when(key.params.get("load").contains(load)):
            key.benchmark.dropWhile(_ != '.').drop(1)
      )
    ) :+
      Chart.Bars(
        "A structure and its half, by the rule of growth, ms",
        key =>
          Option.when(key.benchmark.startsWith("GrowthRules.")):
            s"${key.benchmark.drop(12)}, ${key.params("structure")}"
      )
end OutputExperiment

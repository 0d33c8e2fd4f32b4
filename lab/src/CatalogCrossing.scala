package undercroft.lab

/** The scene of the `output` experiment: a catalog is handed over to C++. */
private object CatalogCrossing:
  val benchmarks: Seq[String] = Seq("CatalogArray", "CatalogOutput", "CatalogRows", "CatalogToJava")

  val notes: Seq[String] = Seq(
    "A catalog of tables, partitions and files is written by Thrift, crosses to C++ in the same " +
      "process and is read there by the code that Thrift's compiler made, a table after another: " +
      "from a ByteOutput by its pointer, or by TSerializer and an array, of which native code " +
      "gets a copy as from JNI. The rows are the files of the same catalog, which C++ reads as an " +
      "array of structs. Impala's own table for such a response: 372 MB 1.5 s, 745 MB 4.0 s, " +
      "1.09 GB 6.6 s, above 2 GB out of memory. On the way " +
      "back C++ writes a catalog, and Java reads it in place or from a copy. Calls of less than 100 MB are repeated up to that."
  )

  private def is(key: Key) = benchmarks.contains(key.benchmark.takeWhile(_ != '.'))
  def isOurs(key: Key): Boolean = is(key) && !key.benchmark.startsWith("CatalogArray") &&
    key.benchmark != "CatalogToJava.copiedArray"
  def lack(key: Key): Option[String] = if is(key) then bench.CatalogLibrary.lack else None

  private def output(megabytes: String) =
    Key("CatalogOutput.byteOutput", "megabytes" -> megabytes)
  private def array(megabytes: String) = Key("CatalogArray.byteArray", "megabytes" -> megabytes)

  val measures: Map[String, Measure] = Map(
    "thrift-vs-byte-array" -> Measure.Speedup(Seq(Pair(output("1000"), array("1000")))),
    "thrift-peak-memory-vs-byte-array" -> Measure.Ratio(
      Seq(Pair(output("1000").counted("peakBytes"), array("1000").counted("peakBytes")))
    ),
    "thrift-4-gb-vs-1-gb" -> Measure.Ratio(Seq(Pair(output("4000"), output("1000"))))
  )

  val chart: Chart = Chart.Lines(
    "A catalog that crosses to C++",
    "megabytes",
    key => key.params("megabytes").toDouble,
    key => Option.when(is(key))(key.benchmark.dropWhile(_ != '.').drop(1)),
    key => 1.0 / Math.max(1, bench.CatalogScene.least / key.params("megabytes").toInt)
  )
end CatalogCrossing

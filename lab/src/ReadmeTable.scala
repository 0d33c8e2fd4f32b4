package undercroft.lab

import undercroft.report.FigureText

/** The README's section of ratios, computed from the verdicts: some of each module, losses too. */
object ReadmeTable:
  private val heading = "## Ratios\n"

  private val goals = Seq(
    "second-day-rows-vs-unsafe" -> "50 M trades recorded and balanced, packed rows, warm",
    "first-day-rows-vs-unsafe" -> "the same in a fresh JVM",
    "growth-vs-c" -> "rows appended by a count that is known",
    "sort-vs-objects" -> "50 M rows sorted in place by an Int",
    "ref-array-gather-vs-unsafe" -> "structs at random places, through references",
    "struct-map-vs-agrona" -> "a map from Long to Long",
    "struct-map-text-vs-hash-map" -> "a map with texts as keys",
    "buffer-vs-okio-geometric-mean" -> "operations of a buffer, geometric mean",
    "output-vs-byte-array-output-stream" -> "1 GiB written in small pieces",
    "ring-100-vs-pekko" -> "a message in a ring of a hundred actors",
    "ring-100-vs-erlang" -> "the same",
    "actor-spawn-vs-pekko" -> "an actor spawned",
    "ring-new-structs-vs-new-objects" -> "a message that is a new struct",
    "file-append-vs-sqlite" -> "rows appended to a file and forced to the disk",
    "file-day-vs-duckdb-parquet" -> "the balance of a day in a file",
    "day-in-duckdb-vs-parquet" -> "SQL by DuckDB over a struct file",
    "day-in-spark-vs-parquet" -> "the balance by Spark over a struct file",
    "cluster-reliable-vs-pekko-cbor" -> "a message to another node, delivered reliably"
  )

  /** The text of a README with this section computed anew. */
  def in(readme: String, verdicts: Seq[Verdict]): String =
    val from = readme.indexOf(heading)
    if from < 0 then throw IllegalArgumentException(s"the README has no line ${heading.strip}")
    val until = readme.indexOf("\n## ", from + heading.length)
    val rest = if until < 0 then "" else readme.drop(until)
    readme.take(from) + section(verdicts) + rest

  private def section(verdicts: Seq[Verdict]): String =
    val rows = goals.map: (name, subject) =>
      val verdict = verdicts.find(_.name == name).getOrElse:
        throw IllegalArgumentException(s"the README's table shows $name, which is no goal")
      val measured = verdict.measured.fold("not measured")(value => s"${FigureText(value)}x")
      val holds = if verdict.holds then "yes" else "**no**"
      s"| $subject | ${verdict.rival} | $measured | ${verdict.asked} | $holds |"
    val held = verdicts.count(_.holds)
    val intro = s"""$heading
      |A `<=` is our time divided by the rival's, a `>=` the rival's divided by ours. $held of
      | ${verdicts.size} goals hold; [RESULTS.md](lab/results/RESULTS.md) has the others, the machine
      | and each interval, and [a page](docs/design/0007-what-was-asked-and-missed.md) the causes of
      | the misses. Computed by `./mill lab.run --compute` from the committed results.
      |""".stripMargin.replace("\n ", " ")
    val table = "| measured | rival | ratio | goal | holds |" +: "|---|---|---:|---:|---|" +: rows
    s"$intro\n${table.mkString("\n")}\n"
end ReadmeTable

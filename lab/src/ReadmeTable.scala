package undercroft.lab

import undercroft.report.FigureText

/** The README's section of numbers, computed from the verdicts: goals that hold, and two missed. */
object ReadmeTable:
  private val heading = "## Numbers\n"

  private val goals = Seq(
    "second-day-rows-vs-unsafe" -> "50 M trades recorded and balanced, packed rows, warm",
    "file-day-vs-duckdb-parquet" -> "the balance of a day in a file",
    "ring-100-vs-pekko" -> "a message in a ring of a hundred actors",
    "ref-array-gather-vs-unsafe" -> "structs at random places, through references",
    "struct-map-text-vs-hash-map" -> "a map with texts as keys"
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
      val holds = if verdict.told == "no" then "**no**" else verdict.told
      s"| $subject | ${verdict.rival} | $measured | ${verdict.asked} | $holds |"
    val intro = s"""$heading
      |A `<=` is our time divided by the rival's, a `>=` the rival's divided by ours.
      | ${Verdict.count(verdicts)}; [RESULTS.md](lab/results/RESULTS.md) has all of them, and
      | [a page](docs/design/0007-what-was-asked-and-missed.md) the causes of the misses.
      |""".stripMargin.replace("\n ", " ")
    val table = "| measured | rival | ratio | goal | holds |" +: "|---|---|---:|---:|---|" +: rows
    s"$intro\n${table.mkString("\n")}\n"
end ReadmeTable

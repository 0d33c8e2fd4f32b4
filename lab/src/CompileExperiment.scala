package undercroft.lab

/** The compile time of the macros in a user's build. */
object CompileExperiment extends Experiment:
  val name = "compile"
  val question = "How long does a program over tables take to compile, beside one over arrays?"
  val article = None
  val benchmarks = Seq("ColdCompilation", "WarmCompilation")

  override val notes = Seq(
    "A program has 1, 10 or 40 case classes, with eight operations on a table of each. The segments " +
      "are the same by hand over a MemorySegment. A cold compiler compiles its first file, a warm " +
      "one has compiled the program six times."
  )

  def rival(key: Key): Rival = key.params.get("program") match
    case Some("arrays")   => Rival.Heap
    case Some("segments") => Rival.Ffm
    case _                => Rival.Undercroft

  private def key(compiler: String, program: String) =
    Key(s"${compiler}Compilation.compile", "program" -> program, "classes" -> "40")

  val measures = Seq("cold" -> "Cold", "warm" -> "Warm")
    .map: (name, compiler) =>
      s"compile-$name-vs-arrays" ->
        Measure.Ratio(Seq(Pair(key(compiler, "rows"), key(compiler, "arrays"))))
    .toMap

  override def atFirstLook(key: Key): Boolean = key.params.get("classes").contains("10")

  val charts = Seq("Cold" -> "a cold compiler", "Warm" -> "a warm compiler").map: (of, by) =>
    Chart.lines(s"Programs compiled by $by", "classes"): key =>
      Option.when(key.benchmark.startsWith(of))(key.params("program"))
end CompileExperiment

package undercroft.lab

/** The cost of observing actors. */
object TrustExperiment extends Experiment:
  val name = "trust"
  val question = "What do the audit, the flight recorder and the time of handlers cost?"
  val article = None
  val benchmarks = Seq("RingTrust")

  override val notes = Seq(
    "A ring of a hundred actors on one worker, one message that is made anew at each hop. " +
      "`audited` is what everybody has: the counts, and everything else off. `notAudited` leaves " +
      "the counts out where a message goes from hand to hand; `recorded` runs with the flight " +
      "recorder's default settings; `timed` takes the time of each handler.",
    "For long: `lab/soak.sh HOURS`, and `./mill lab.bench.runMain undercroft.lab.bench.Endurance`."
  )

  override def atFirstLook(key: Key): Boolean = key.benchmark.endsWith("udited")

  def rival(key: Key): Rival = Rival.Undercroft

  private def ring(how: String) = Key(s"RingTrust.$how")

  val measures = Map(
    "ring-audit-vs-none" -> Measure.Ratio(Seq(Pair(ring("audited"), ring("notAudited"))))
  )

  val charts = Seq(
    Chart.Bars(
      "A message in a ring of 100, ns",
      key => Option.when(key.benchmark.startsWith("RingTrust"))(key.benchmark.drop(10))
    )
  )
end TrustExperiment

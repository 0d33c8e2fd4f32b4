package undercroft.lab

import undercroft.report.{Curve, Numbers, Part, Point, Report, Section, Value}

/** Messages a second in a ring of actors from the very start, in steps of 10 ms: what the readers
  * of the article asked for. Every run is a JVM of its own (Erlang: a process), the same heap for
  * all.
  *
  * `./mill lab.runMain undercroft.lab.RingOverTime [MILLIS [RUNS [FOLDER]]]`
  */
object RingOverTime:
  private val nodes = 100
  private val heap = "-Xmx256m"

  /** What one run did: messages handled, and collections of garbage, by the end of each step. */
  final case class Course(system: String, run: Int, handled: Seq[Long], collections: Seq[Long]):
    def name: String = s"$system, run $run"

    /** Messages a second in each step, by the milliseconds at its end. */
    def rates: Seq[(millis: Int, rate: Double)] =
      val before = 0L +: handled
      handled.zip(before).zipWithIndex.map: (now, i) =>
        val millis = bench.RingCourse.stepMillis
        (millis = (i + 1) * millis, rate = (now._1 - now._2) * 1000.0 / millis)

    /** The milliseconds by which each collection had been. */
    def pauses: Seq[Int] =
      val before = 0L +: collections
      collections.zip(before).zipWithIndex.collect:
        case ((now, then_), i) if now > then_ => (i + 1) * bench.RingCourse.stepMillis
  end Course

  private val systems =
    Seq(
      "undercroft" -> Rival.Undercroft,
      "pekko" -> Rival.Pekko,
      "ox" -> Rival.Ox,
      "erlang" -> Rival.Erlang
    )

  def main(args: Array[String]): Unit =
    val millis = args.lift(0).fold(3000)(_.toInt)
    val runs = args.lift(1).fold(3)(_.toInt)
    val folder = os.Path(args.lift(2).getOrElse("report"), os.pwd)
    val (here, missing) = systems.partition(_._2.absence.isEmpty)
    val courses = for run <- 1 to runs; (system, _) <- here yield course(system, run, millis)
    val left = missing.flatMap(_._2.absence)
    os.write.over(folder / "ring.html", report(courses, left).html, createFolders = true)
    for one <- courses do println(f"${one.name}: ${one.handled.last}%,d messages in $millis ms")
    for why <- left do println(why)
    println(s"the chart is ${folder / "ring.html"}")

  /** Runs one system for so long. */
  def course(system: String, run: Int, millis: Int): Course =
    val java = os.Path(System.getProperty("java.home").nn) / "bin" / "java"
    val out = os
      .call(
        Seq(java.toString, heap, "-XX:+UseG1GC", "--sun-misc-unsafe-memory-access=allow", "-cp") ++
          Seq(System.getProperty("java.class.path").nn, "undercroft.lab.bench.RingCourse") ++
          Seq(system, nodes.toString, millis.toString)
      )
      .out
      .lines()
    parse(system, run, out)

  /** Reads the two lines that a run prints last. */
  def parse(system: String, run: Int, lines: Seq[String]): Course =
    lines.takeRight(2).map(_.trim.nn.split(' ').toSeq.map(_.toLong)) match
      case Seq(handled, collections) if handled.size == collections.size =>
        Course(system, run, handled, collections)
      case _ => throw IllegalStateException(s"$system printed no course: ${lines.mkString("; ")}")

  /** One chart with all runs over each other, and when garbage was collected. */
  def report(courses: Seq[Course], left: Seq[String]): Report =
    val owners = systems.toMap
    val curves = courses.map: one =>
      val points = one.rates.map(step => Point(step.millis, Value.alone(step.rate)))
      Curve(one.name, owners(one.system).owner, points, one.pauses.map(_.toDouble))
    val pauses = courses.filter(_.pauses.nonEmpty).map: one =>
      s"${one.name}: garbage was collected by ${one.pauses.mkString(", ")} ms"
    val chart = undercroft.report.Chart.Course(
      curves,
      "milliseconds",
      rate => s"${Numbers(rate / 1e6)} M/s",
      happened = "garbage was collected"
    )
    Report(
      "A ring of actors over time",
      Seq(
        s"Messages a second in a ring of $nodes actors with one token, from the start of each JVM."
      ),
      Seq(
        Section(
          "ring",
          "messages a second",
          Seq(Part.Picture("Messages a second, each 10 ms", chart)) ++
            Option.when(pauses.nonEmpty)(Part.Points(pauses)) ++ left.map(Part.Small(_))
        )
      )
    )
  end report
end RingOverTime

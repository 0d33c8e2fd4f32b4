package undercroft.lab

import mainargs.{Flag, ParserForMethods, arg, main}
import undercroft.lab.bench.RingCourse
import undercroft.report.{Curve, FigureText, Block, CurvePoint, Report, Section, Value}

/** Messages per second in a ring of actors from its start, in steps of 10 ms: the chart that
  * readers of the article requested. Every run is its own JVM (Erlang: a process) with the same
  * heap, and fails if a message was lost.
  *
  * `./mill lab.runMain undercroft.lab.RingOverTime --help`
  */
object RingOverTime:

  /** The course of one run: messages handled and garbage collections by the end of each step. */
  final case class Course(
      system: String,
      run: Int,
      stepMillis: Int,
      handled: Seq[Long],
      collections: Seq[Long],
      facts: RingCourse.Facts
  ):
    def name: String = s"$system, run $run"

    /** Messages per second in each step, by the milliseconds at its end. */
    def rates: Seq[(millis: Int, rate: Double)] =
      val before = 0L +: handled
      handled.zip(before).zipWithIndex.map: (now, i) =>
        (millis = (i + 1) * stepMillis, rate = (now._1 - now._2) * 1000.0 / stepMillis)

    /** The ends, in milliseconds, of the steps in which garbage was collected. */
    def pauses: Seq[Int] =
      val before = 0L +: collections
      collections.zip(before).zipWithIndex.collect:
        case ((now, then_), i) if now > then_ => (i + 1) * stepMillis

    /** The whole run as text. */
    def words: String =
      val nanos = if facts.handled == 0 then 0.0 else facts.wallMillis * 1e6 / facts.handled
      val quantiles =
        if facts.p50Nanos == 0 then ""
        else
          s"; a message of a round p50 ${facts.p50Nanos}, p99 ${facts.p99Nanos}, " +
            s"p99.9 ${facts.p999Nanos} ns"
      f"$name: ${facts.handled}%,d messages, none lost, in ${facts.wallMillis}%,d ms " +
        f"(processor ${facts.cpuMillis}%,d, until all were spawned ${facts.spawnMillis}%,d), " +
        f"$nanos%.1f ns each with warm-up$quantiles"
  end Course

  private val systems =
    Seq(
      "undercroft" -> Rival.Undercroft,
      "undercroft-1" -> Rival.Undercroft,
      "pekko" -> Rival.Pekko,
      "pekko-1" -> Rival.Pekko,
      "ox" -> Rival.Ox,
      "erlang" -> Rival.Erlang
    )

  /** A JVM for the runs: by default the lab's own, with 256 MiB. */
  final case class Jvm(home: os.Path, heap: String, flags: Seq[String]):
    /** The reason why it cannot run them. */
    def lack: Option[String] =
      val release = home / "release"
      val lines = if os.exists(release) then os.read.lines(release) else Seq()
      val version = lines.collectFirst { case s"JAVA_VERSION=$text" => Jvm.major(text) }.flatten
      if !os.exists(home / "bin" / "java") then Some(s"$home: there is no bin/java in it")
      else
        version
          .filter(_ < Jvm.oldest)
          .map(release => s"$home: is a JDK $release, and ${Jvm.oldest} is the oldest that will do")

  object Jvm:
    /** The oldest JDK that runs Undercroft. */
    private val oldest = 25

    private def major(version: String): Option[Int] =
      version.filter(_ != '"').takeWhile(_ != '.').toIntOption

    val default: Jvm = Jvm(os.Path(System.getProperty("java.home").nn), "256m", Nil)

  @main(doc = "Rings of actors over time, beside their rivals, with a page.")
  def measure(
      @arg(doc = "systems, with commas: undercroft, undercroft-1, pekko, pekko-1, ox, erlang")
      systems: String = "undercroft,pekko,ox,erlang",
      @arg(doc = "how long each run takes") millis: Int = 3000,
      @arg(doc = "or how many messages each run handles, such as 1000000000") messages: Long = 0,
      @arg(doc = "runs of each system, over each other in the chart") runs: Int = 3,
      @arg(doc = "actors in the ring") nodes: Int = 100,
      @arg(doc = "tokens on their way at once") tokens: Int = 1,
      @arg(doc = "nanoseconds of work for each message") work: Int = 0,
      @arg(doc = "the heap of each JVM") heap: String = "256m",
      @arg(doc = "another JDK") jdk: Option[String] = None,
      @arg(doc = "the client compiler only: -XX:TieredStopAtLevel=1") client: Flag,
      @arg(doc = "a soak of 15 minutes each, then 1 000 M messages each") full: Flag,
      @arg(doc = "only what a system at rest uses of a processor, for so long") idle: Int = 0,
      @arg(doc = "the folder for the page") report: String = "report"
  ): Int =
    val home = jdk.fold(Jvm.default.home)(os.Path(_, os.pwd))
    val flags = if client.value then Seq("-XX:TieredStopAtLevel=1") else Nil
    val jvm = Jvm(home, heap, flags)
    if jvm.lack.nonEmpty then wrong(s"--jdk ${jvm.lack.mkString}")
    else if idle > 0 then
      val facts = parse("undercroft", 1, 10, child(jvm, Seq("idle", idle.toString))).facts
      val share = 100.0 * facts.cpuMillis / facts.wallMillis
      println(f"a system of 1000 actors at rest used $share%.2f %% of a processor")
      0
    else
      val names = systems.split(',').toSeq.map(_.trim.nn)
      val rounds =
        planned(full.value, runs, RingCourse.Plan("", nodes, tokens, work, millis, messages))
      val refusal = Option.when(runs < 1)(s"runs must be at least 1, but are $runs")
        .orElse(rounds.flatMap(_.refusal).headOption)
      if refusal.nonEmpty then wrong(refusal.mkString)
      else drawn(names, rounds, jvm, os.Path(report, os.pwd) / "ring.html")
    end if
  end measure

  /** Runs the systems that can be measured, and writes the page; returns the exit code. */
  private def drawn(
      names: Seq[String],
      rounds: Seq[RingCourse.Plan],
      jvm: Jvm,
      page: os.Path
  ): Int =
    val left = names.flatMap(system => lack(rounds.head.copy(system = system)))
    val courses =
      for
        (round, i) <- rounds.zipWithIndex
        plan <- names.map(system => round.copy(system = system)) if lack(plan).isEmpty
      yield course(plan, i + 1, jvm)
    if courses.isEmpty then wrong(left.mkString("\n"))
    else
      os.write.over(page, report(courses, left).html, createFolders = true)
      for course <- courses do println(course.words)
      for why <- left do println(why)
      println(s"the chart is $page")
      0
  end drawn

  private def wrong(message: String): Int =
    System.err.println(message)
    2

  /** The runs of each system, in order. */
  def planned(isFull: Boolean, runs: Int, plan: RingCourse.Plan): Seq[RingCourse.Plan] =
    if !isFull then Seq.fill(runs)(plan)
    else
      val soak = plan.copy(millis = 15 * 60_000, messages = 0)
      Seq(soak, soak.copy(messages = 1_000_000_000))

  def main(args: Array[String]): Unit =
    ParserForMethods(this).runEither(args.toSeq, totalWidth = 100) match
      case Left(message) =>
        System.err.println(message)
        sys.exit(2)
      case Right(code: Int) => sys.exit(code)
      case Right(_)         => ()

  /** The reason why a system cannot be measured by this plan. */
  private def lack(plan: RingCourse.Plan): Option[String] = systems.toMap.get(plan.system) match
    case None => Some(s"no system is called ${plan.system}: ${systems.map(_._1).mkString(", ")}")
    case Some(Rival.Erlang) if plan.tokens != 1 || plan.workNanos != 0 =>
      Some("erlang is left out: its ring has one token, and no work")
    case Some(rival) => rival.absence

  /** Runs one system. */
  def course(plan: RingCourse.Plan, run: Int, jvm: Jvm = Jvm.default): Course =
    parse(plan.system, run, plan.stepMillis, child(jvm, plan.words))

  private def child(jvm: Jvm, words: Seq[String]): Seq[String] =
    val java = (jvm.home / "bin" / "java").toString
    val flags = Seq(s"-Xmx${jvm.heap}", "-XX:+UseG1GC", "--enable-native-access=ALL-UNNAMED")
    val openFlags = Seq("--sun-misc-unsafe-memory-access=allow")
    val path = Seq("-cp", System.getProperty("java.class.path").nn)
    val main = Seq("undercroft.lab.bench.RingCourse")
    os.call(Seq(java) ++ flags ++ openFlags ++ jvm.flags ++ path ++ main ++ words).out.lines()

  /** Reads the three lines that a run prints last. */
  def parse(system: String, run: Int, stepMillis: Int, lines: Seq[String]): Course =
    def numbers(line: String) = line.trim.nn.split(' ').toSeq.map(_.toLongOption)
    lines.takeRight(3).map(numbers) match
      case Seq(handled, collections, facts)
          if handled.size == collections.size && (handled ++ collections ++ facts).forall(
            _.nonEmpty
          )
            && RingCourse.Facts.of(facts.flatten).nonEmpty =>
        val courseFacts = RingCourse.Facts.of(facts.flatten).get
        Course(system, run, stepMillis, handled.flatten, collections.flatten, courseFacts)
      case _ => throw IllegalStateException(s"$system printed no course: ${lines.mkString("; ")}")

  /** One chart with all runs overlaid, and the times of garbage collections. */
  def report(courses: Seq[Course], left: Seq[String]): Report =
    val owners = systems.toMap
    val curves = courses.map: curve =>
      val points = curve.rates.map(step => CurvePoint(step.millis, Value.alone(step.rate)))
      Curve(curve.name, owners(curve.system).owner, points, curve.pauses.map(_.toDouble))
    val pauses = courses.filter(_.pauses.nonEmpty).map: curve =>
      s"${curve.name}: garbage was collected by ${curve.pauses.mkString(", ")} ms"
    val chart = undercroft.report.Chart.Course(
      curves,
      "milliseconds",
      rate => s"${FigureText(rate / 1e6)} M/s",
      happened = "garbage was collected"
    )
    Report(
      "A ring of actors over time",
      Seq(
        "Messages a second in a ring of actors, from the start of each JVM."
      ),
      Seq(
        Section(
          "ring",
          "messages a second",
          Option.when(curves.nonEmpty)(Block.Picture("Messages a second, in steps", chart)).toSeq ++
            Seq(Block.Points(courses.map(_.words))) ++
            Option.when(pauses.nonEmpty)(Block.Points(pauses)) ++ left.map(Block.Small(_))
        )
      )
    )
  end report
end RingOverTime

package undercroft.lab

import mainargs.Flag
import undercroft.lab.bench.{RingCourse, Rounds}

class RingOverTimeTest extends undercroft.tools.Suite:
  private val facts = "40 5 30 50 10 20 30"

  test("a ring's course contains messages per second and the times of GC pauses"):
    val course =
      RingOverTime.parse("pekko", 2, 10, Seq("a warning", "10 40 40", "0 1 1", facts))
    assertEquals(course.rates.map(_.rate), Seq(1000.0, 3000.0, 0.0))
    assertEquals(course.rates.map(_.millis), Seq(10, 20, 30))
    assertEquals(course.pauses, Seq(20))
    assertEquals(
      course.words,
      "pekko, run 2: 40 messages, none lost, in 30 ms (processor 50, until all were spawned 5), " +
        "750000.0 ns each with warm-up; a message of a round p50 10, p99 20, p99.9 30 ns"
    )

  test("RingOverTime.parse of other output throws and shows that output"):
    val e = intercept[IllegalStateException](RingOverTime.parse("ox", 1, 10, Seq("1 2", "1", "a")))
    assertEquals(e.getMessage, "ox printed no course: 1 2; 1; a")

  test("quantiles are accurate to a sixteenth"):
    val rounds = Rounds()
    assertEquals(rounds.quantile(0.5), 0L)
    rounds.mark()
    val until = System.nanoTime + 1_000_000
    while System.nanoTime < until do Thread.onSpinWait()
    rounds.mark()
    assert(rounds.quantile(0.5) >= 1_000_000, s"${rounds.quantile(0.5)}")

  test("a long run has 1000 steps, and a short one has steps of 10 ms"):
    def step(millis: Int) = RingCourse.Plan("undercroft", 100, 1, 0, millis, 0).stepMillis
    assertEquals(List(200, 3000, 900_000).map(step), List(10, 10, 900))

  test("a full run is a soak of 15 minutes, then a thousand million messages"):
    val plan = RingCourse.Plan("ox", 100, 1, 0, 3000, 0)
    assertEquals(RingOverTime.planned(isFull = false, 3, plan), Seq.fill(3)(plan))
    val full = RingOverTime.planned(isFull = true, 3, plan)
    assertEquals(
      full.map(step => (step.millis, step.messages)),
      Seq((900_000, 0L), (900_000, 1_000_000_000L))
    )

  test("a plan that no ring can run is refused with its numbers"):
    val plan = RingCourse.Plan("undercroft", 100, 1, 0, 3000, 0)
    assertEquals(plan.refusal, None)
    assertEquals(plan.copy(tokens = 1000).refusal, None)
    for
      (wrong, reason) <- Seq(
        plan.copy(nodes = 0) -> "nodes must be at least 1, but are 0",
        plan.copy(workNanos = -1) -> "work must be at least 0 ns, but is -1 ns",
        plan.copy(messages = 150) -> "messages must be a multiple of 100, the nodes, but are 150",
        plan.copy(messages = -100) -> "messages must be a multiple of 100, the nodes, but are -100",
        plan.copy(millis = 9) -> "millis must be at least 10, but are 9",
        plan.copy(tokens = 0) -> "tokens must be from 1 to 1000000, but are 0",
        plan.copy(tokens = 101, messages = 1_000_100) ->
          "tokens must be from 1 to 100, but are 101"
      )
    do assertEquals(wrong.refusal, Some(reason))

  test("a measurement without a system, a run or a valid plan returns 2 and writes no page"):
    val folder = os.temp.dir()
    def measured(
        systems: String = "undercroft",
        messages: Long = 100,
        runs: Int = 1,
        tokens: Int = 1
    ) = RingOverTime.measure(
      systems,
      messages = messages,
      runs = runs,
      tokens = tokens,
      client = Flag(),
      full = Flag(),
      report = folder.toString
    )
    assertEquals(RingOverTime.Jvm.default.lack, None)
    assertEquals(measured(systems = "quasar"), 2)
    assertEquals(measured(systems = "erlang", tokens = 2), 2)
    assertEquals(measured(runs = 0), 2)
    assertEquals(measured(messages = 150), 2)
    assertEquals(os.list(folder).toList, Nil)

  test("a report without a course has its reasons and no picture"):
    val html = RingOverTime.report(Seq(), Seq("something was left out")).html
    assert(html.contains("something was left out"), html)

  test("an unsuitable JDK for a ring is reported with its version"):
    val home = os.temp.dir()
    def lack = RingOverTime.Jvm(home, "256m", Nil).lack
    assertEquals(lack, Some(s"$home: there is no bin/java in it"))
    os.write(home / "bin" / "java", "", createFolders = true)
    assertEquals(lack, None)
    os.write(home / "release", "IMPLEMENTOR=\"any\"\nJAVA_VERSION=\"17.0.12\"\n")
    assertEquals(lack, Some(s"$home: is a JDK 17, and 25 is the oldest that will do"))
    os.write.over(home / "release", "JAVA_VERSION=\"26\"\n")
    assertEquals(lack, None)
    assertEquals(RingOverTime.Jvm.default.lack, None)

  test("a ring runs in its own JVM and is drawn in the report"):
    val systems = Seq("undercroft") ++ Option.when(Rival.Erlang.absence.isEmpty)("erlang")
    val courses = systems.map: system =>
      RingOverTime.course(RingCourse.Plan(system, 100, 1, 0, 200, 0), 1)
    for course <- courses do
      assertEquals(course.handled.size, 20)
      assertEquals(course.handled, course.handled.sorted)
    val html = RingOverTime.report(courses, Seq("something was left out")).html
    for course <- courses do assert(html.contains(course.name))
    assert(html.contains("something was left out"))

  test("a ring with tokens and work handles exactly the requested number of messages"):
    for system <- Seq("undercroft", "pekko") do
      val plan = RingCourse.Plan(system, 100, 4, 100, 1000, 30_000)
      assertEquals(RingOverTime.course(plan, 1).facts.handled, 30_000L)
end RingOverTimeTest

package undercroft.lab

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

package undercroft.lab

class RingOverTimeTest extends munit.FunSuite:

  test("a course tells messages a second, and when garbage was collected"):
    val course = RingOverTime.parse("pekko", 2, Seq("a warning", "10 40 40", "0 1 1"))
    assertEquals(course.rates.map(_.rate), Seq(1000.0, 3000.0, 0.0))
    assertEquals(course.rates.map(_.millis), Seq(10, 20, 30))
    assertEquals(course.pauses, Seq(20))

  test("what is no course is told"):
    val e = intercept[IllegalStateException](RingOverTime.parse("ox", 1, Seq("1 2", "1")))
    assertEquals(e.getMessage, "ox printed no course: 1 2; 1")

  test("a ring runs from the start of its JVM, and is drawn"):
    val systems = Seq("undercroft") ++ Option.when(Rival.Erlang.absence.isEmpty)("erlang")
    val courses = systems.map(RingOverTime.course(_, 1, 200))
    for one <- courses do
      assertEquals(one.handled.size, 20)
      assertEquals(one.handled, one.handled.sorted)
    val html = RingOverTime.report(courses, Seq("something was left out")).html
    for one <- courses do assert(html.contains(one.name))
    assert(html.contains("something was left out"))
end RingOverTimeTest

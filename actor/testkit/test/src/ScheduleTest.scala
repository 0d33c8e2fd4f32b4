package undercroft.actor
package testkit

import org.scalacheck.Gen
import org.scalacheck.Prop.*
import scala.collection.mutable.ArrayBuffer

/** What decides over the order, and what things wait in. */
class ScheduleTest extends undercroft.house.PropertySuite:

  private val schedules =
    val choice = Gen.zip(Gen.chooseNum(0, 10_000), Gen.chooseNum(1, 100))
    Gen.zip(Gen.long, Gen.option(Gen.mapOf(choice))).map((seed, some) => Schedule(seed, some))

  property("what a schedule is told as is read again"):
    forAll(schedules)(schedule => assertEquals(Schedule.parse(schedule.toString), schedule))

  test("what is no schedule is told so"):
    for text <- List("", "x", "1@2", "1@2=", "1@=2", "1@a=2", "1@-1=2", "1@1=-2", "1@1=2=3") do
      val e = intercept[IllegalArgumentException](Schedule.parse(text))
      assertEquals(e.getMessage, s"'$text' is no schedule, such as 17 or 17@5=2,9=1")

  property("the choices that were taken are taken again"):
    forAll(Gen.long, Gen.nonEmptyListOf(Gen.chooseNum(1, 20))): (seed, bounds) =>
      val order = Order(Schedule(seed))
      val taken = bounds.map(order.take)
      for (number, bound) <- taken.zip(bounds) do assert(number >= 0 && number < bound)
      val again = Order(Schedule(seed, Some(order.choices)))
      assertEquals(bounds.map(again.take), taken)

  test("of each three every order comes, whatever the manner of the seeds"):
    for manner <- 0 to 3 do
      val seen = (0 until 10_000).map: n =>
        val order = Order(Schedule(n * 4L + manner))
        (order.take(3), order.take(2))
      assertEquals(seen.toSet.size, 6, s"manner $manner")

  test("without choices everything is in order, and a choice that is too large is the last"):
    val order = Order(Schedule(7, Some(Map(2 -> 9))))
    assertEquals(List.fill(4)(order.take(5)), List(0, 0, 4, 0))
    assertEquals(order.choices, Map(2 -> 4))

  property("a line is as a buffer from which any element is taken"):
    forAll(Gen.listOf(Gen.option(Gen.chooseNum(0, 1000)))): operations =>
      val (line, buffer) = (Line(), ArrayBuffer[AnyRef]())
      for operation <- operations do
        operation match
          case Some(n) if buffer.nonEmpty =>
            assert(line.remove(n % buffer.size) eq buffer.remove(n % buffer.size))
          case _ =>
            val element = new Object
            line.add(element)
            buffer += element
        assertEquals(line.size, buffer.size)
        for i <- buffer.indices do assert(line(i) eq buffer(i))

  test("the clock does what is due in its order, and nothing that is cancelled"):
    val clock = Agenda()
    val done = ArrayBuffer[String]()
    def enter(delay: Long, name: String) =
      clock.schedule(delay, () => done += s"$name ${clock.nanos}": Unit)
    enter(20, "later"): Unit
    enter(10, "first"): Unit
    enter(10, "second"): Unit
    enter(5, "never").cancel()
    enter(Long.MaxValue, "at the end"): Unit
    assert(!clock.isDue)
    assert(!clock.passToNext(9))
    while clock.passToNext(100) do clock.perform()
    assertEquals(done.toList, List("first 10", "second 10", "later 20"))
    clock.passTo(5)
    assertEquals(clock.nanos, 20L)
end ScheduleTest

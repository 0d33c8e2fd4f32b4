package undercroft.actor
package testkit

import org.scalacheck.Gen
import org.scalacheck.Prop.*
import scala.collection.mutable.ArrayBuffer

/** Schedules, and the queue of possible steps. */
class ScheduleTest extends undercroft.tools.PropertySuite:

  private val schedules =
    val choice = Gen.zip(Gen.chooseNum(0, 10_000), Gen.chooseNum(1, 100))
    Gen.zip(Gen.long, Gen.option(Gen.mapOf(choice))).map((seed, choices) => Schedule(seed, choices))

  property("what a schedule is told as is read again"):
    forAll(schedules)(schedule => assertEquals(Schedule.parse(schedule.toString), schedule))

  test("what is no schedule is told so"):
    for text <- List("", "x", "1@2", "1@2=", "1@=2", "1@a=2", "1@-1=2", "1@1=-2", "1@1=2=3") do
      val e = intercept[IllegalArgumentException](Schedule.parse(text))
      assertEquals(e.getMessage, s"'$text' is not a schedule, such as 17 or 17@5=2,9=1")

  property("the choices that were taken are taken again"):
    forAll(Gen.long, Gen.nonEmptyListOf(Gen.chooseNum(1, 20))): (seed, bounds) =>
      val order = StepChooser(Schedule(seed))
      val numbers = bounds.map(order.take)
      for (number, bound) <- numbers.zip(bounds) do assert(number >= 0 && number < bound)
      val again = StepChooser(Schedule(seed, Some(order.choices)))
      assertEquals(bounds.map(again.take), numbers)

  test("of each three every order comes, whatever the manner of the seeds"):
    for manner <- 0 to 3 do
      val orders = (0 until 10_000).map: n =>
        val order = StepChooser(Schedule(n * 4L + manner))
        (order.take(3), order.take(2))
      assertEquals(orders.toSet.size, 6, s"manner $manner")

  test("without choices everything is in order, and a choice that is too large is the last"):
    val order = StepChooser(Schedule(7, Some(Map(2 -> 9))))
    assertEquals(List.fill(4)(order.take(5)), List(0, 0, 4, 0))
    assertEquals(order.choices, Map(2 -> 4))

  property("a line is as a buffer from which any element is taken"):
    forAll(Gen.listOf(Gen.option(Gen.chooseNum(0, 1000)))): operations =>
      val (line, buffer) = (StepQueue(), ArrayBuffer[AnyRef]())
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
    val clock = VirtualClock()
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

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

  property("Schedule.parse reverses Schedule.toString"):
    forAll(schedules)(schedule => assertEquals(Schedule.parse(schedule.toString), schedule))

  test("Schedule.parse of malformed text throws IllegalArgumentException"):
    for text <- List("", "x", "1@2", "1@2=", "1@=2", "1@a=2", "1@-1=2", "1@1=-2", "1@1=2=3") do
      val e = intercept[IllegalArgumentException](Schedule.parse(text))
      assertEquals(e.getMessage, s"'$text' is not a schedule, such as 17 or 17@5=2,9=1")

  property("a StepChooser repeats the recorded choices"):
    forAll(Gen.long, Gen.nonEmptyListOf(Gen.chooseNum(1, 20))): (seed, bounds) =>
      val order = StepChooser(Schedule(seed))
      val numbers = bounds.map(order.take)
      for (number, bound) <- numbers.zip(bounds) do assert(number >= 0 && number < bound)
      val again = StepChooser(Schedule(seed, Some(order.choices)))
      assertEquals(bounds.map(again.take), numbers)

  test("StepChooser reaches every order of three steps with every kind of seed"):
    for manner <- 0 to 3 do
      val orders = (0 until 10_000).map: n =>
        val order = StepChooser(Schedule(n * 4L + manner))
        (order.take(3), order.take(2))
      assertEquals(orders.toSet.size, 6, s"manner $manner")

  test("a schedule without choices keeps the order; too large a choice takes the last"):
    val order = StepChooser(Schedule(7, Some(Map(2 -> 9))))
    assertEquals(List.fill(4)(order.take(5)), List(0, 0, 4, 0))
    assertEquals(order.choices, Map(2 -> 4))

  property("StepQueue behaves like an ArrayBuffer with removal at any index"):
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

  test("VirtualClock runs due tasks in order and skips cancelled ones"):
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

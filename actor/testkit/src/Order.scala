package undercroft.actor
package testkit

import java.util.SplittableRandom

/** Takes one of several things that could happen next, by a schedule, and notes what it took. One
  * thread.
  *
  * Seeds differ in their manner, because mistakes do: half of them take each with the same chance;
  * a quarter mostly the oldest, so that little is out of order; a quarter mostly the newest, so
  * that some wait for very long.
  */
private[testkit] final class Order(schedule: Schedule):
  private val random = SplittableRandom(schedule.seed)
  private val manner = (schedule.seed & 3).toInt
  private var taken = new Array[Int](64)
  private var count = 0

  /** One of the numbers from 0 until `bound`; 0 is what became possible first. */
  def take(bound: Int): Int = schedule.choices match
    case Some(choices) => note(math.min(choices.getOrElse(count, 0), bound - 1))
    case None          => note(atRandom(bound))

  /** Whether to do what is done only now and then: once in `odds` times, in every manner. */
  def isUnlikely(odds: Int): Boolean = schedule.choices match
    case Some(choices) => note(math.min(choices.getOrElse(count, 0), 1)) == 1
    case None          => note(if random.nextInt(odds) == 0 then 1 else 0) == 1

  private def note(number: Int): Int =
    if count == taken.length then taken = java.util.Arrays.copyOf(taken, count * 2)
    taken(count) = number
    count += 1
    number

  private def atRandom(bound: Int): Int =
    if manner < 2 || random.nextInt(8) == 0 then random.nextInt(bound)
    else if manner == 2 then 0
    else bound - 1

  /** What was taken and is not the first: with it the same happens again. */
  def choices: Map[Int, Int] =
    (0 until count).collect { case at if taken(at) != 0 => at -> taken(at) }.toMap
end Order

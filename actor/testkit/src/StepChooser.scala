package undercroft.actor
package testkit

import java.util.SplittableRandom

/** Chooses one of several possible steps according to a schedule, and records its choices. Confined
  * to one thread.
  *
  * Seeds use one of three strategies, because bugs need different orders: half of the seeds choose
  * uniformly; a quarter choose mostly the oldest step, so that little is out of order; a quarter
  * choose mostly the newest, so that some steps wait for very long.
  */
private[testkit] final class StepChooser(schedule: Schedule):
  private val random = SplittableRandom(schedule.seed)
  private val manner = (schedule.seed & 3).toInt
  private var record = new Array[Int](64)
  private var count = 0

  /** Returns a choice in `[0, bound)`; 0 is the step that became possible first. */
  def take(bound: Int): Int = schedule.choices match
    case Some(choices) => note(math.min(choices.getOrElse(count, 0), bound - 1))
    case None          => note(atRandom(bound))

  /** Returns true once in `odds` calls on average, with every strategy: for rare decisions. */
  def isUnlikely(odds: Int): Boolean = schedule.choices match
    case Some(choices) => note(math.min(choices.getOrElse(count, 0), 1)) == 1
    case None          => note(if random.nextInt(odds) == 0 then 1 else 0) == 1

  private def note(number: Int): Int =
    if count == record.length then record = java.util.Arrays.copyOf(record, count * 2)
    record(count) = number
    count += 1
    number

  private def atRandom(bound: Int): Int =
    if manner < 2 || random.nextInt(8) == 0 then random.nextInt(bound)
    else if manner == 2 then 0
    else bound - 1

  /** The recorded choices that are not 0; a schedule with them repeats the run. */
  def choices: Map[Int, Int] =
    (0 until count).collect { case at if record(at) != 0 => at -> record(at) }.toMap
end StepChooser

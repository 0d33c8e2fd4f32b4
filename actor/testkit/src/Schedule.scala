package undercroft.actor
package testkit

/** Decides the order of steps whenever several are possible: at random by the seed or, given
  * `choices`, in the order in which they became possible, except for these choices. A choice maps
  * the number of a decision to the number of the chosen step, both from 0.
  */
private[testkit] final case class Schedule(seed: Long, choices: Option[Map[Int, Int]] = None)
    derives CanEqual:

  /** The form that [[Schedule.parse]] reads: `17` or `17@5=2,9=1`. */
  override def toString: String = choices match
    case None => s"$seed"
    case Some(entries) =>
      entries.toVector.sorted.map((at, choice) => s"$at=$choice").mkString(s"$seed@", ",", "")

private[testkit] object Schedule:
  /** Parses the form that `toString` writes.
    *
    * @throws java.lang.IllegalArgumentException
    *   if `text` does not have this form
    */
  def parse(text: String): Schedule =
    def wrong = IllegalArgumentException(s"'$text' is not a schedule, such as 17 or 17@5=2,9=1")
    val (seed, rest) = text.span(_ != '@')
    def choice(word: String): (Int, Int) = word.split("=", -1) match
      case Array(at, number) =>
        (at.toIntOption.filter(_ >= 0), number.toIntOption.filter(_ >= 0)) match
          case (Some(at), Some(number)) => at -> number
          case _                        => throw wrong
      case _ => throw wrong
    val choices =
      if rest.isEmpty then None
      else Some(rest.drop(1).split(",").filter(_.nonEmpty).map(choice).toMap)
    Schedule(seed.toLongOption.getOrElse(throw wrong), choices)
end Schedule

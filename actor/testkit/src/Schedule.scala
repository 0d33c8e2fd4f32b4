package undercroft.actor
package testkit

/** What decides in which order things happen, wherever several could: a seed, or, where there are
  * `choices`, the order in which they became possible, but for those. A choice is the number of a
  * decision and that of what is taken, both from 0.
  */
private[testkit] final case class Schedule(seed: Long, choices: Option[Map[Int, Int]] = None)
    derives CanEqual:

  /** As [[Schedule.parse]] reads it: `17` or `17@5=2,9=1`. */
  override def toString: String = choices match
    case None => s"$seed"
    case Some(some) =>
      some.toVector.sorted.map((at, taken) => s"$at=$taken").mkString(s"$seed@", ",", "")

private[testkit] object Schedule:
  /** Reads what `toString` writes.
    *
    * @throws java.lang.IllegalArgumentException
    *   if `text` is nothing of the kind
    */
  def parse(text: String): Schedule =
    def wrong = IllegalArgumentException(s"'$text' is no schedule, such as 17 or 17@5=2,9=1")
    val (seed, rest) = text.span(_ != '@')
    def choice(word: String): (Int, Int) = word.split("=", -1) match
      case Array(at, taken) =>
        (at.toIntOption.filter(_ >= 0), taken.toIntOption.filter(_ >= 0)) match
          case (Some(at), Some(taken)) => at -> taken
          case _                       => throw wrong
      case _ => throw wrong
    val choices =
      if rest.isEmpty then None
      else Some(rest.drop(1).split(",").filter(_.nonEmpty).map(choice).toMap)
    Schedule(seed.toLongOption.getOrElse(throw wrong), choices)
end Schedule

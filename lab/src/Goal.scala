package undercroft.lab

import upickle.default.{ReadWriter, read}

/** A ratio that an issue requests, by name; `lab/goals.json` lists them. */
final case class Goal(name: String, experiment: String, rival: String, asked: String)
    derives ReadWriter, CanEqual

object Goal:
  def all(json: String): Seq[Goal] =
    val goals = read[Seq[Goal]](json)
    val twice = goals.groupBy(_.name).filter(_._2.sizeIs > 1).keys
    if twice.nonEmpty then
      throw IllegalArgumentException(s"goals named twice: ${twice.mkString(", ")}")
    goals

/** The bound of a goal: `<= 1.05x`, `>= 2.5x`, `<= 0.4 ns`, `<= 100 ms`, `<= 200 B`, `0 B/op`. */
enum Asked derives CanEqual:
  case AtMost(limit: Double, unit: String)
  case AtLeast(limit: Double, unit: String)
  case NoGarbage

  def holds(measured: Double): Boolean = this match
    case AtMost(limit, _)  => measured <= limit
    case AtLeast(limit, _) => measured >= limit
    // JMH divides the bytes of its own harness by the calls; an object has at least 16 bytes.
    case NoGarbage => measured < 0.5

  /** Whether the bound lies within an interval. */
  def spans(interval: (low: Double, high: Double)): Boolean =
    holds(interval.low) != holds(interval.high)

  /** Whether `a` is further from the bound than `b`. */
  def worse(a: Double, b: Double): Boolean = this match
    case AtLeast(_, _) => a < b
    case _             => a > b
end Asked

object Asked:
  def parse(text: String): Asked = text match
    case "0 B/op"                          => NoGarbage
    case s"<= ${limit}x"                   => AtMost(number(limit, text), "x")
    case s"<= $limit $unit" if units(unit) => AtMost(number(limit, text), unit)
    case s">= ${limit}x"                   => AtLeast(number(limit, text), "x")
    case _                                 => unreadable(text)

  private val units = Set("ns", "ms", "B", "%", "messages")

  private def number(limit: String, text: String): Double =
    limit.trim.nn.toDoubleOption.getOrElse(unreadable(text))

  private def unreadable(text: String): Nothing =
    throw IllegalArgumentException(s"cannot read what is asked: '$text'")
end Asked

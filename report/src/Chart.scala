package undercroft.report

import java.util.Locale

/** A chart of results; `tell` formats a value for the reader. */
enum Chart(val tell: Double => String):
  /** A bar from zero for each mark, the smallest first: less is better. */
  case Bars(marks: Seq[Mark], format: Double => String) extends Chart(format)

  /** A line for each curve over places above zero; both axes are logarithmic. */
  case Growth(curves: Seq[Curve], over: String, format: Double => String) extends Chart(format)

  /** A line for each curve over time or over what happens one after another; the values start at
    * zero.
    */
  case Course(curves: Seq[Curve], over: String, format: Double => String) extends Chart(format)
end Chart

/** A value and the interval that is sure to hold it, or is known to: `low <= value <= high`. */
final case class Value(value: Double, low: Double, high: Double) derives CanEqual:
  /** The value as text, with its interval if the interval is known. */
  def told(tell: Double => String): String =
    tell(value) + (if high > low then s" (${tell(low)} to ${tell(high)})" else "")

object Value:
  /** A value whose interval is not known. */
  def alone(value: Double): Value = Value(value, value, value)

final case class Mark(name: String, owner: Owner, value: Value) derives CanEqual

/** A line of the points in the order of their places; no two curves of a chart have one name. */
final case class Curve(name: String, owner: Owner, points: Seq[CurvePoint]) derives CanEqual

final case class CurvePoint(at: Double, value: Value) derives CanEqual

/** Whose results are shown, and in which colour. */
final case class Owner(label: String, hue: Hue) derives CanEqual

/** The colours that tell owners apart, by day and by night. Ours is always the first. */
enum Hue(val light: String, val dark: String) derives CanEqual:
  case Teal extends Hue("#0c8571", "#3fc4a8")
  case Orange extends Hue("#c4621a", "#ee9a60")
  case Blue extends Hue("#3f66c4", "#8cabf2")
  case Violet extends Hue("#8a4fa3", "#c893df")
  case Olive extends Hue("#87700f", "#d3b650")
  case Rose extends Hue("#b5446a", "#ea8aa9")
  case Sky extends Hue("#1b7ba3", "#6cc3e8")
  case Brown extends Hue("#7a5236", "#cda684")
  case Slate extends Hue("#5c6873", "#a3b0bc")

  /** Its class name in the style sheet. */
  def style: String = toString.toLowerCase(Locale.ROOT)
end Hue

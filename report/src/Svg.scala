package undercroft.report

import Markup.*

/** The pieces that pictures are drawn from.
  *
  * Places from left to right are shares of the width, from 0 to 1; places from top to bottom are
  * pixels. So a picture fills any width, and its letters keep their size.
  */
private[report] object Svg:
  /** A share of the width as SVG takes it. */
  def share(at: Double): String = s"${(at * 10000).round / 100.0}%"

  def picture(words: String, tall: Double, parts: Seq[Piece]): Piece =
    svg(
      role := "img",
      ariaLabel := words,
      width := "100%",
      height := tall,
      parts
    )

  /** What the pointer is told. */
  def hint(words: String): Piece = title(words)

  /** Words whose `anchor` (start, middle or end) is at a place, moved by some pixels. */
  def words(at: Double, base: Double, anchor: String, text: String, moved: Double = 0): Piece =
    label(x := share(at), dx := moved, y := base, textAnchor := anchor, text)

  def stroke(style: String, fromX: Double, fromY: Double, toX: Double, toY: Double): Piece =
    line(kind := style, x1 := share(fromX), y1 := fromY, x2 := share(toX), y2 := toY)
end Svg

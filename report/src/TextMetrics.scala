package undercroft.report

import java.awt.font.{FontRenderContext, LineMetrics}
import java.text.AttributedCharacterIterator.Attribute
import java.awt.{Font, FontMetrics, Graphics}

/** A font defined by its metrics alone, so that a chart has the same layout on every machine, also
  * on a machine without fonts.
  *
  * The widths are Helvetica's, which Arial and Liberation Sans have too: the page asks for these.
  */
private[report] final class TextMetrics(size: Int) extends Font("SansSerif", Font.PLAIN, size):
  private val line = TextMetrics.Line(size * 0.905f, size * 0.212f)

  /** The metrics by which AWT measures text. */
  val metrics: FontMetrics = Measures(this, line)

  /** How wide words are, in pixels. */
  def width(words: String): Double = words.map(TextMetrics.thousandths(_)).sum * size / 1000.0

  // AWT would look among the fonts of the system; Batik asks for both and uses neither.
  override def getFamily(): String = getName
  override def deriveFont(attributes: java.util.Map[? <: Attribute, ?]): Font = this
  override def getLineMetrics(words: String, context: FontRenderContext): LineMetrics = line

  private final class Measures(font: TextMetrics, line: LineMetrics) extends FontMetrics(font):
    override def getAscent(): Int = line.getAscent.round
    override def getDescent(): Int = line.getDescent.round
    override def stringWidth(words: String): Int = font.width(words).ceil.toInt
    override def getLineMetrics(words: String, graphics: Graphics): LineMetrics = line
end TextMetrics

private[report] object TextMetrics:
  /** Of the letters from the blank to the tilde, in thousandths of the font's size. */
  private val widths = Array(
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584
  )
  private val blank = 278 // narrow blanks between digits, too
  private val defaultWidth = 600

  private def thousandths(letter: Char): Int =
    if letter >= ' ' && letter <= '~' then widths(letter - ' ')
    else if Character.isSpaceChar(letter) then blank
    else defaultWidth

  private final class Line(ascent: Float, descent: Float) extends LineMetrics:
    def getNumChars(): Int = 1
    def getAscent(): Float = ascent
    def getDescent(): Float = descent
    def getLeading(): Float = 0
    def getHeight(): Float = ascent + descent
    def getBaselineIndex(): Int = Font.ROMAN_BASELINE
    def getBaselineOffsets(): Array[Float] = Array(0f, -ascent / 2, -ascent)
    def getStrikethroughOffset(): Float = -ascent / 3
    def getStrikethroughThickness(): Float = 1
    def getUnderlineOffset(): Float = descent / 2
    def getUnderlineThickness(): Float = 1
end TextMetrics

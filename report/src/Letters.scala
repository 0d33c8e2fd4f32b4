package undercroft.report

/** Widths of letters, so that a chart has the same layout on every machine, also on one without
  * fonts: Helvetica's, which Arial and Liberation Sans have too. The style sheet asks for these.
  */
private[report] object Letters:
  /** The font's size in pixels, as in the style sheet. */
  val size = 13.0

  /** The width of a text in pixels. */
  def width(text: String): Double = text.map(thousandths(_)).sum * size / 1000

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
end Letters

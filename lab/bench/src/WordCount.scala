package undercroft.lab.bench

import java.util.{HashMap, SplittableRandom}
import undercroft.memory.Region
import undercroft.struct.*

/** Counts twice `size` words: a fifth of `size` are different, and short words are frequent. In
  * both variants the words are Strings on the heap, created one at a time.
  */
object WordCount extends Program:

  def onHeap(size: Int)(done: () => Unit): Long =
    val counts = HashMap[String, Int]()
    words(size): word =>
      counts.merge(word, 1, (a, b) => a + b): Unit
    var sum = 0L
    counts.forEach((word, count) => sum += word.length.toLong * count * count)
    done()
    sum + counts.size

  def inRegion(size: Int)(done: () => Unit)(using Region): Long =
    val counts = StructMap[Text[16], Int]()
    words(size): word =>
      counts.updateOrElse(Text(word), 0)(_ + 1)
    var sum = 0L
    counts.foreach((word, count) => sum += word.string.length.toLong * count * count)
    done()
    sum + counts.size

  private inline def words(size: Int)(inline f: String => Unit): Unit =
    val random = SplittableRandom(7)
    for _ <- 1 to size * 2 do
      val chance = random.nextDouble()
      f(java.lang.Long.toString((chance * chance * size / 5).toLong * 7919 + 1, 36))
end WordCount

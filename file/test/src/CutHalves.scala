package undercroft.file

import java.lang.Integer.{bitCount, numberOfTrailingZeros, reverseBytes}
import java.nio.file.Path
import scala.util.Random
import undercroft.file.format.Durability
import undercroft.struct.*

/** Truncation during loops that read 8-byte words: Ints as halves of a word, and updates of Longs.
  */
object CutHalves:

  final case class Trade(ticket: Int, amount: Int, price: Int, buy: Boolean)
      derives Struct,
        CanEqual:
    def balance: Long = amount.toLong * price * (if buy then 1 else -1)

  /** A row of one 8-byte word. */
  final case class Pair(a: Int, b: Int) derives Struct, CanEqual

  /** A row that is read in 8-byte words. */
  final case class Wide(word: Long, a: Int, b: Int, c: Int, d: Int, e: Int)
      derives Struct,
        CanEqual:
    def marked: Wide = copy(word = word | (1L << 40))

  private inline val Most = 8_000

  inline def over[L <: Layout](
      tables: TableFactory[L],
      folder: Path,
      rounds: Int,
      random: Random,
      counts: Cuts.Counts
  ): Unit =
    val (trades, pairs) =
      (folder.resolve(s"trades-$tables").nn, folder.resolve(s"pairs-$tables").nn)
    val wide = folder.resolve(s"wide-$tables").nn
    written(tables, trades)(i => Trade(i, i * 0x9e3779b1, i * 7 - 900, i % 3 == 0))
    written(tables, pairs)(i => Pair(i * 0x9e3779b1, i))
    written(tables, wide)(i => Wide(i * 0x9e3779b97f4a7c15L, i, i + 1, i + 2, i + 3, i + 4))
    val cutTrades = Cut(trades, random, counts)
    for (name, reading) <- readings[L] do
      cutTrades
        .repeatedly(s"$tables, $name", rounds)(tables.openReadOnly[Trade](trades), reading)
    val cutPairs = Cut(pairs, random, counts)
    for (name, reading) <- readingsOfPairs[L] do
      cutPairs.repeatedly(s"$tables, $name", rounds)(tables.openReadOnly[Pair](pairs), reading)
    Cut(wide, random, counts).repeatedly(s"$tables, marks", rounds)(
      tables.open[Wide](wide, Most),
      _.transform(row => row.marked)
    )
  end over

  private inline def written[T, L <: Layout](
      tables: TableFactory[L],
      path: Path
  )(row: Int => T)(using
      Struct[T]
  ): Unit =
    val table = tables.create[T](path, Most, Durability.VOLATILE)
    for i <- 0 until Most do table += row(i)
    table.commit()
    table.close()

  private inline def readings[L <: Layout]: List[(String, FileTable[Trade, L] => Any)] = List(
    "balances" -> (t => t.sumOf(_.balance)),
    "lower halves as Longs" -> (t => t.sumOf(_.price)),
    "upper halves as Longs" -> (t => t.sumOf(_.amount)),
    "all Ints" -> (t => t.sumOf(r => r.ticket + r.amount - r.price)),
    "halves that are compared" -> (t => t.count(r => r.amount > 500 && r.price < 9000)),
    "bits of halves" -> (t => t.count(r => (r.amount & 4) == 0 && (r.price & 0x70000) == 0)),
    "ones of halves" -> (t => t.sumOf(r => bitCount(r.amount) + bitCount(r.price))),
    "zeros of halves" ->
      (t => t.sumOf(r => numberOfTrailingZeros(r.price) - numberOfTrailingZeros(r.amount))),
    "unsigned halves" ->
      (t => t.foldLeft(0L)((s, r) => s ^ (r.amount & 0xffffffffL) ^ (r.price & 0xff00ff00L))),
    "halves of one word, put together" -> { t =>
      t.foldLeft(0L)((s, r) => s ^ (r.amount.toLong << 32 | r.ticket & 0xffffffffL))
    },
    "halves of two words, put together" -> { t =>
      t.foldLeft(0L)((s, r) => s ^ (r.price.toLong << 32 | r.amount & 0xffffffffL))
    },
    "bytes of halves" ->
      (t => t.sumOf(r => r.price.toByte + r.amount.toShort + reverseBytes(r.ticket).toChar)),
    "Doubles of halves" -> (t => t.sumOf(r => r.amount.toDouble / (r.price | 1))),
    "a half of many" -> (t => t.filter(_.buy).map(_.price).sum),
    "the largest half" -> (t => t.map(_.amount).max),
    "no half" -> (t => t.exists(r => r.price == -1 && r.amount == -1)),
    "halves in order" -> (t => t.map(_.amount.toLong).scanLeft(0L)(_ + _).max),
    "trades" -> (t => t.foldLeft(0)((s, r) => s * 31 + r.hashCode))
  )

  private inline def readingsOfPairs[L <: Layout]: List[(String, FileTable[Pair, L] => Any)] =
    List(
      "the lower of two" -> (t => t.sumOf(_.a)),
      "the upper of two" -> (t => t.sumOf(_.b)),
      "the product of two" -> (t => t.sumOf(r => r.a.toLong * r.b)),
      "the bits of two" -> (t => t.foldLeft(0)((s, r) => s ^ (r.a & 0x70f0f0f | r.b))),
      "the Longs of two" -> (t => t.foldLeft(0L)((s, r) => s ^ (r.a.toLong << 7) | r.b & 0xffL)),
      "the greater of two" -> (t => t.foldLeft(0)((s, r) => Math.max(s, Math.max(r.a, r.b)))),
      "two that are equal" -> (t => t.count(r => r.a == r.b))
    )
end CutHalves

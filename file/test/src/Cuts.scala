package undercroft.file

import java.lang.Double.{doubleToRawLongBits, longBitsToDouble}
import java.lang.Float.floatToRawIntBits
import java.nio.channels.FileChannel
import java.nio.file.{Files, Path, StandardOpenOption}
import java.util.concurrent.CountDownLatch
import scala.util.Random
import undercroft.file.format.{Durability, StructFileException}
import undercroft.memory.Region
import undercroft.struct.*

/** A process that truncates files while it reads them. Each result must be correct, or a
  * StructFileException; a failure may also crash the JVM.
  */
object Cuts:

  final case class Part(at: Int, size: Short) derives Struct, CanEqual

  final case class Row(
      number: Int,
      word: Long,
      half: Short,
      letter: Char,
      byte: Byte,
      flag: Boolean,
      real: Double,
      ratio: Float,
      name: Text[12],
      parts: InlineArray[Part, 2],
      large: Option[Int],
      @bigEndian turned: Int
  ) derives Struct,
        CanEqual

  private val Most = 4_000

  private def row(i: Int): Row =
    Row(
      i,
      i * 0x9e3779b97f4a7c15L,
      (i * 3).toShort,
      (i * 7).toChar,
      (i * 11).toByte,
      i % 3 == 0,
      i * 0.5,
      i * 0.25f,
      Text(s"n${i % 100}"),
      InlineArray(Part(i, i.toShort), Part(-i, 7)),
      Option.when(i % 2 == 0)(i),
      i ^ 0x55
    )

  /** `Cuts [ROUNDS] [SEED] [LAYOUTS]`: each operation is interrupted by a truncation ROUNDS times
    * (50 by default), in all three layouts or in LAYOUTS of them, chosen by the seed.
    */
  def main(args: Array[String]): Unit =
    val rounds = args.headOption.fold(50)(_.toInt)
    val seed = args.lift(1).fold(Random.nextLong())(_.toLong)
    println(s"seed $seed")
    val folder = Files.createTempDirectory("undercroft-cuts").nn
    val random = Random(seed)
    val counts = Counts()
    val layouts: List[() => Unit] = List(
      () => over(Rows, folder, rounds, random, counts),
      () => over(PackedRows, folder, rounds, random, counts),
      () => over(Columns, folder, rounds, random, counts)
    )
    try
      for layout <- random.shuffle(layouts).take(args.lift(2).fold(3)(_.toInt)) do layout()
    finally
      Files.list(folder).nn.forEach(path => Files.delete(path))
      Files.delete(folder)
    println(s"${counts.cuts} cuts, ${counts.errors} errors, and each answer right")

  /** The number of truncations, and how many of them were reported as an exception. */
  final class Counts(var cuts: Int = 0, var errors: Int = 0)

  private inline def over[L <: Layout](
      tables: TableFactory[L],
      folder: Path,
      rounds: Int,
      random: Random,
      counts: Counts
  ): Unit =
    val (sealedOne, open) = (folder.resolve(s"sealed-$tables").nn, folder.resolve(s"$tables").nn)
    for (path, seal) <- Seq(sealedOne -> true, open -> false) do
      val table = tables.create[Row](path, 2 * Most, Durability.VOLATILE)
      for i <- 0 until Most do table += row(i)
      if seal then table.seal() else table.commit()
      table.close()
    val read = Cut(sealedOne, random, counts)
    for (name, reading) <- readings[L] do
      read.repeatedly(s"$tables, $name", rounds)(tables.openReadOnly[Row](sealedOne), reading)
    val changed = Cut(open, random, counts)
    for (name, change) <- changes[L] do
      changed.repeatedly(s"$tables, $name", rounds)(tables.open[Row](open, 2 * Most), change)
    CutHalves.over(tables, folder, rounds, random, counts)
  end over

  /** Every operation that reads a table. */
  private inline def readings[L <: Layout]: List[(String, FileTable[Row, L] => Any)] = List(
    "an Int as a Long" -> (t => t.sumOf(_.number)),
    "a sum of Longs" -> (t => t.map(_.word >> 20).sum),
    "ones of a Long" -> (t => t.sumOf(r => java.lang.Long.bitCount(r.word))),
    "ones of an Int" -> (t => t.sumOf(r => Integer.bitCount(r.number))),
    "zeros of an Int" -> (t => t.sumOf(r => Integer.numberOfTrailingZeros(r.number))),
    "the lowest bit" -> (t => t.foldLeft(0L)((s, r) => s ^ java.lang.Long.lowestOneBit(r.word))),
    "bits of a Byte" -> (t => t.count(r => (r.byte & 4) == 0)),
    "bits of all" -> (t => t.foldLeft(0L)((s, r) => s ^ (r.word & 0xff0f | r.number) ^ r.half)),
    "bits of a few" -> (t => t.foldLeft(0)((s, r) => s | (r.number & 0x70f ^ r.turned))),
    "Shorts and Chars" -> (t => t.sumOf(r => r.half * 3 - r.letter)),
    "Booleans" -> (t => t.count(_.flag)),
    "Doubles" -> (t => t.sumOf(_.real)),
    "Floats" -> (t => t.sumOf(r => r.ratio.toDouble)),
    "bits of Floats" -> (t => t.sumOf(r => floatToRawIntBits(r.ratio).toLong)),
    "bits of Doubles" -> (t => t.count(r => (doubleToRawLongBits(r.real) & 16) == 0)),
    "Doubles of Ints" -> (t => t.sumOf(r => r.number.toDouble / (r.word | 1))),
    "rounded Doubles" -> (t => t.sumOf(r => Math.floor(r.real * 0.3) + Math.sqrt(r.real))),
    "comparisons" -> (t => t.count(r => r.word > 5 && r.number < 3000)),
    "the largest Long" -> (t => t.map(_.word).max),
    "the largest Double" -> (t => t.map(_.real).max),
    "the least by a Float" -> (t => t.minBy(_.ratio).number),
    "texts" -> (t => t.count(_.name.startsWith("n1")) + t.sumOf(_.name.hash)),
    "arrays" -> (t => t.sumOf(r => r.parts(0).at.toLong + r.parts(1).size)),
    "options" -> (t => t.foldLeft(0L)((s, r) => s + r.large.getOrElse(1))),
    "none" -> (t => t.exists(_.number == -1)),
    "an index" -> (t => t.indexWhere(_.number == Most - 1)),
    "a scan" -> (t => t.map(_.number.toLong).scanLeft(0L)(_ + _).max),
    "whole rows" -> (t => t.foldLeft(0)((s, r) => s * 31 + r.hashCode)),
    "a view by calls" -> { t =>
      val view: View[Row] = t
      val longs = view.map(r => r.number.toLong * r.byte)
      longs.foldLeft(0L)(_ + _)
    },
    "objects" -> (t => t.toVector.hashCode),
    "an iterator" -> (t => t.iterator.map(r => r.number.toLong ^ r.word).sum),
    "an array" -> { t =>
      val array = new Array[Row](Most)
      t.copyTo(array)
      array.map(_.number.toLong).sum
    },
    "single fields" -> { t =>
      var (i, sum) = (0, 0L)
      while i < Most do
        sum += t(i).number.toLong + t(i).byte
        i += 1
      sum
    },
    "single bits" -> { t =>
      var (i, sum) = (0, 0L)
      while i < Most do
        sum += floatToRawIntBits(t(i).ratio).toLong
        i += 1
      sum
    },
    "single rows" -> { t =>
      var (i, sum) = (0, 0)
      while i < Most do
        sum = sum * 31 + t(i).hashCode
        i += 1
      sum
    },
    "single rows of a table of any layout" -> (t => Cuts.ofAny(t)),
    "every third" -> (t => t.strided(3).sumOf(r => r.number.toLong * r.byte)),
    "backwards" -> (t => t.reverse.foldLeft(0L)((s, r) => s * 31 + r.number)),
    "pairs" -> (t => t.zip(t).sumOf((a, b) => a.number.toLong * b.byte)),
    "a part" -> (t => t.slice(100, Most - 100).sumOf(_.number)),
    "bytes" -> { t =>
      var (i, sum) = (1, 0)
      while i < Most do
        sum += t.hashAt(i) + t.compareAt(i, i - 1) + (if t.contentEqualsAt(i, i) then 1 else 0)
        i += 1
      sum
    },
    "a search" -> { t =>
      var (i, sum) = (0, 0L)
      while i < 200 do
        sum += t.binarySearchBy(_.number)(i * 20)
        i += 1
      sum
    },
    "several threads" -> (t => t.parAggregate(0L)((s, r) => s + r.number)(_ + _)),
    "a filter by several threads" ->
      (t => Region.scoped(t.parFilter(_.flag).map(_.number.toLong).sum)),
    "a sort" -> (t => Region.scoped(t.sortBy(-_.number)(0).number)),
    "a sort by a text" -> (t => Region.scoped(t.sortBy(_.name)(Most - 1).number)),
    "a sort by several threads" -> (t => Region.scoped(t.parSortBy(-_.word)(0).number)),
    "the top" -> (t => Region.scoped(t.topBy(10)(_.word)(9).number)),
    "two parts" -> (t => Region.scoped(t.partition(_.flag)._2.sumOf(_.number))),
    "groups" -> (t => Region.scoped(t.groupBy(r => r.number % 10)(3).sumOf(_.number)))
  )

  /** Every operation that changes a table; their results are not compared. */
  private inline def changes[L <: Layout]: List[(String, FileTable[Row, L] => Any)] = List(
    "all Ints" -> (t => t.updateAll(_.number)(_ + 1)),
    "all Longs" -> (t => t.updateAll(_.word)(_ | (1L << 40))),
    "all Bytes" -> (t => t.updateAll(_.byte)(b => (b ^ 5).toByte)),
    "all Doubles" -> (t => t.updateAll(_.real)(Math.floor(_))),
    "a bit of Doubles" -> { t =>
      t.updateAll(_.real)(d => longBitsToDouble(doubleToRawLongBits(d) | Long.MinValue))
    },
    "fields by others" -> (t => t.transform(r => r.copy(word = r.number.toLong))),
    "rows by rows" -> (t => t.setFrom(t)(r => r.copy(number = r.number + r.half))),
    "single fields, changed" -> { t =>
      var i = 0
      while i < Most do
        t.updateAt(i)(_.word)(_ | (1L << 41))
        i += 1
    },
    "single rows, stored" -> { t =>
      var i = 0
      while i < Most do
        t(i) = row(i)
        i += 1
    },
    "rows that change places" -> { t =>
      var i = 1
      while i < Most do
        t.swap(i, i - 1)
        i += 1
    },
    "rows in order" -> { t =>
      t.updateAll(_.number)(n => n * 0x9e3779b1)
      t.sortInPlaceBy(_.number)
    },
    "rows in order, by several threads" -> { t =>
      t.updateAll(_.word)(n => n * 0x9e3779b97f4a7c15L)
      t.parSortInPlaceBy(_.word)
    },
    "commits" -> { t =>
      var i = 0
      while i < 100 && t.size < 2 * Most do
        t += row(i)
        i += 1
      t.commit()
    }
  )

  private def ofAny[L <: Layout](table: Table[Row, L]): Long =
    var (i, sum) = (0, 0L)
    while i < Most do
      sum += table(i).number.toLong
      i += 1
    sum
end Cuts

/** A file that is truncated at a page boundary and restored. */
private final class Cut(path: Path, random: Random, counts: Cuts.Counts):
  private val whole: Array[Byte] = Files.readAllBytes(path).nn
  private val pages = whole.length / Cut.Page

  /** Runs an operation until its file is truncated, `rounds` times. Each result must equal the
    * result before the truncation.
    */
  def repeatedly[F <: AutoCloseable](name: String, rounds: Int)(
      open: => F,
      use: F => Any
  ): Unit =
    val expected =
      val table = open
      try
        for _ <- 0 until Cut.Warm do use(table): Unit
        use(table)
      finally table.close()
    for round <- 0 until rounds do
      Files.write(path, whole)
      val table = open
      try once(table, use, expected, s"$name, round $round")
      finally table.close()
    Files.write(path, whole): Unit
  end repeatedly

  private def once[F](table: F, use: F => Any, expected: Any, name: String): Unit =
    val ready = CountDownLatch(1)
    val page = Cut.First + random.nextInt(pages - Cut.First)
    val spins = random.nextInt(20_000)
    @volatile var isCut = false
    val cutter = Thread: () =>
      ready.await()
      for _ <- 0 until spins do Thread.onSpinWait()
      val channel = FileChannel.open(path, StandardOpenOption.WRITE).nn
      try channel.truncate(page.toLong * Cut.Page): Unit
      finally channel.close()
      isCut = true
    cutter.start()
    counts.cuts += 1
    try
      ready.countDown()
      var going = true
      while going do
        // One more run after the truncation: it may succeed only if it needs no missing page.
        going = !isCut
        try
          val answer = use(table)
          if !answer.equals(expected) then
            throw AssertionError(s"$name: $answer instead of $expected")
        catch
          case _: StructFileException =>
            counts.errors += 1
            going = false
    finally cutter.join()
  end once
end Cut

private object Cut:
  private inline val Page = 4096

  /** Pages with headers and schema, which are not truncated. */
  private inline val First = 3

  /** Runs before the truncation, so that the JIT compiles the operation. */
  private inline val Warm = 40
end Cut

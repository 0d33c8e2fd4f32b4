package undercroft.lab.bench

// How much does code cost that is written for any struct, beside the same for a known one?

import org.openjdk.jmh.annotations.*
import undercroft.memory.Region
import undercroft.struct.*

/** Computes the sum of a function over 10 000 rows, by a fold and by a loop over indices, and
  * reverses them: by code for one struct and layout, and by the same code for any of them. `ofMany`
  * runs the generic code on six types of table before, so that the JIT does not specialise it for
  * one type.
  */
@State(Scope.Thread)
class GenericCode extends Measured:
  @Param(Array("false", "true")) var ofMany = false

  private val size = 10_000
  private var region: Region = scala.compiletime.uninitialized
  private var rows: Rows[Trade] = scala.compiletime.uninitialized
  private var target: Rows[Trade] = scala.compiletime.uninitialized

  @Setup def fill(): Unit =
    region = Region.shared()
    given Region = region
    rows = Rows.tabulate[Trade](size)(i => Trade(i.toInt, 2, 3, true))
    target = Rows[Trade](size)
    if ofMany then
      for _ <- 1 to 2000 do
        spoil(PackedRows.from(List.fill(20)(Trade(1, 2, 3, true))))(_.price)
        spoil(Columns.from(List.fill(20)(Trade(1, 2, 3, true))))(_.amount)
        spoil(Rows.from(List.fill(20)(Couple(1L, 2))))(_.a)
        spoil(Columns.from(List.fill(20)(Couple(1L, 2))))(_.b)
        spoil(Rows.from(List.fill(20)(Mixed(1.5, 2L))))(_.b)
  @TearDown def free(): Unit = region.close()

  private def spoil[T, L <: Layout](table: Table[T, L])(f: T => Long): Unit =
    val _ = GenericCode.total(table)(f) + GenericCode.loop(table)(f)
    GenericCode.reverse(table, table)

  @Benchmark def totalGeneric(): Long = GenericCode.total(rows)(_.price)

  @Benchmark def totalInline(): Long = GenericCode.inlined(rows)(_.price)

  @Benchmark def totalKnown(): Long = rows.foldLeft(0L)((sum, trade) => sum + trade.price)

  @Benchmark def loopGeneric(): Long = GenericCode.loop(rows)(_.price)

  @Benchmark def loopKnown(): Long =
    var sum = 0L
    var i = 0L
    while i < rows.size do
      sum += rows(i).price
      i += 1
    sum

  @Benchmark def reverseGeneric(): Long =
    GenericCode.reverse(rows, target)
    target(0).ticket

  @Benchmark def reverseKnown(): Long =
    var i = 0L
    while i < rows.size do
      target(rows.size - 1 - i) = rows(i)
      i += 1
    target(0).ticket
end GenericCode

final case class Couple(a: Long, b: Int) derives Struct
final case class Mixed(a: Double, b: Long) derives Struct

object GenericCode:

  /** Compiled again for the types of each use. */
  inline def inlined[T, L <: Layout](table: Table[T, L])(inline f: T => Long): Long =
    table.foldLeft(0L)((sum, row) => sum + f(row))

  def total[T, L <: Layout](table: Table[T, L])(f: T => Long): Long =
    table.foldLeft(0L)((sum, row) => sum + f(row))

  def loop[T, L <: Layout](table: Table[T, L])(f: T => Long): Long =
    var sum = 0L
    var i = 0L
    while i < table.size do
      sum += f(table(i))
      i += 1
    sum

  def reverse[T, L <: Layout](source: Table[T, L], target: Table[T, L]): Unit =
    var i = 0L
    while i < source.size do
      target(source.size - 1 - i) = source(i)
      i += 1
end GenericCode

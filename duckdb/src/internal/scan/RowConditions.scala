package undercroft.duckdb
package internal.scan

import scala.collection.mutable.ArrayBuffer

/** The filters and the choices that the rows of a scan must all fulfil. */
private[duckdb] final case class RowConditions(
    all: Vector[ColumnFilter],
    choices: Vector[FilterChoice]
) derives CanEqual:

  /** The indices of the columns that have conditions. */
  def columns: Vector[Int] = (all ++ choices.flatMap(_.alternatives.flatten)).map(_.column)

  /** The conditions on the fields of a table, after those on its partition; None if the values of
    * its partition exclude all of its rows.
    */
  def at(table: ScannedTable): Option[RowConditions] =
    def fields(filters: Vector[ColumnFilter]): Option[Vector[ColumnFilter]] =
      val (constant, read) = filters.partition(table.isConstant)
      Option.when(constant.forall(table.holds))(read)
    val open = choices.map(_.alternatives.flatMap(fields)).filterNot(_.exists(_.isEmpty))
    fields(all).filterNot(_ => open.exists(_.isEmpty)).map(RowConditions(
      _,
      open.map(FilterChoice(_))
    ))

  /** Sorted disjoint row ranges `[from, until)` of a table that its block statistics exclude. */
  def pruned(table: ScannedTable): Vector[(Long, Long)] =
    val byChoices =
      choices.flatMap(_.alternatives.map(excluded(table, _)).reduce(RowConditions.both))
    RowConditions.joined(excluded(table, all) ++ byChoices)

  /** The row ranges in which the block statistics exclude that all filters hold. */
  private def excluded(table: ScannedTable, filters: Vector[ColumnFilter]): Vector[(Long, Long)] =
    RowConditions.joined:
      for
        filter <- filters
        if filter.hasStatistics && !filter.isNegated
        block <- table.statistics(filter.path)
        if !filter.meets(block.min.longValue, block.max.longValue)
      yield (block.from, block.until)
end RowConditions

private[duckdb] object RowConditions:

  /** The ranges sorted, and joined where they overlap or touch. */
  private def joined(ranges: Vector[(Long, Long)]): Vector[(Long, Long)] =
    val joined = ArrayBuffer[(Long, Long)]()
    for (from, until) <- ranges.sorted do
      joined.lastOption match
        case Some((first, end)) if from <= end =>
          joined(joined.size - 1) = (first, Math.max(end, until))
        case _ => joined += ((from, until))
    joined.toVector

  /** The rows that are in a range of `a` and in one of `b`. */
  private def both(a: Vector[(Long, Long)], b: Vector[(Long, Long)]): Vector[(Long, Long)] =
    for
      (from, until) <- a
      (otherFrom, otherUntil) <- b
      start = Math.max(from, otherFrom)
      end = Math.min(until, otherUntil)
      if start < end
    yield (start, end)
end RowConditions

package undercroft.duckdb

import undercroft.structfile.Column

/** Looks through the conditions of a query for those on one column of numbers, Booleans or cases,
  * which a scan decides by itself: DuckDB leaves these to it. Of a range both ends of which DuckDB
  * tells, but not whether they belong to it, the scan takes the ends in, and DuckDB looks again.
  */
private[duckdb] final class PushDown(info: Long, bound: Bound, slots: Slots):
  import PushDown.*

  def run(): Unit =
    val count = slots.answer(
      Native.tableFunctionFilterPushdownGetFilterCount.invokeExact(info, slots.out, slots.error)
        .asInstanceOf[Int]
    )
    for i <- 0L until count do
      val condition = slots.answer(
        Native.tableFunctionFilterPushdownGetFilter.invokeExact(info, i, slots.out, slots.error)
          .asInstanceOf[Int]
      )
      val wanted = filters(condition)
      wanted.foreach: (found, isExact) =>
        found.foreach(bound.add)
        if isExact then
          slots.check(
            Native.tableFunctionFilterPushdownAccept.invokeExact(info, i, slots.error)
              .asInstanceOf[Int]
          )
  end run

  /** The filters that a condition is, and whether they are all of it; none if it is another one. */
  private def filters(condition: Long): Option[(Vector[Filter], Boolean)] =
    kind(condition) match
      case ColumnReference => column(condition).flatMap(isTrue(_, true))
      case Not             => column(child(condition, 0)).flatMap(isTrue(_, false))
      case IsNull | IsNotNull =>
        column(child(condition, 0)).flatMap(isNull(_, kind(condition) == IsNull))
      case compared if compared >= Equal && compared <= AtLeast =>
        val (left, right) = (child(condition, 0), child(condition, 1))
        if kind(right) == Constant then
          column(left).flatMap(one => comparison(one, compared, right))
        else if kind(left) == Constant then
          column(right).flatMap(one => comparison(one, turned(compared), left))
        else None
      case Between =>
        for
          one <- column(child(condition, 0))
          from <- comparison(one, AtLeast, child(condition, 1))
          to <- comparison(one, AtMost, child(condition, 2))
        yield (from._1 ++ to._1.takeRight(1), false)
      case In =>
        column(child(condition, 0)).flatMap(one => among(one, condition))
      case And =>
        val all = Vector.tabulate(children(condition))(i => filters(child(condition, i)))
        Option.when(all.forall(_.isDefined))(all.flatten).map: parts =>
          (parts.flatMap(_._1), parts.forall(_._2))
      case _ => None

  /** A column, and what its values are where they are there. */
  private final case class Found(index: Int, column: Column):
    val value: Column = column match
      case Column.Optional(_, _, inner) => inner
      case other                        => other
    val path: String = column match
      case Column.Optional(name, _, _) => s"$name.get"
      case other                       => other.name

    /** What has to be there for it to be anything at all. */
    def present: Vector[Filter] = column match
      case Column.Optional(_, isDefined, _) =>
        Vector(Filter(index, Key.Bool, isDefined, column.name, 1, 255))
      case _ => Vector()

  private def column(expression: Long): Option[Found] =
    Option.when(kind(expression) == ColumnReference):
      val position = slots.answer(
        Native.expressionColumnRefGetIndex.invokeExact(expression, slots.out, slots.error)
          .asInstanceOf[Int]
      )
      slots.answer(
        Native.tableFunctionFilterPushdownGetColumnIndex
          .invokeExact(info, position, slots.out, slots.error)
          .asInstanceOf[Int]
      )
    .filter(index => index >= 0 && index < bound.columns.size)
      .map(index => Found(index.toInt, bound.columns(index.toInt)))

  private def isTrue(found: Found, wanted: Boolean): Option[(Vector[Filter], Boolean)] =
    Key.of(found.value).collect { case (Key.Bool, offset) =>
      val (least, most) = if wanted then (1L, 255L) else (0L, 0L)
      (found.present :+ Filter(found.index, Key.Bool, offset, found.path, least, most), true)
    }

  private def isNull(found: Found, wanted: Boolean): Option[(Vector[Filter], Boolean)] =
    found.present.headOption.map(there => (Vector(there.copy(isNegated = wanted)), true))

  private def comparison(
      found: Found,
      compared: Int,
      constant: Long
  ): Option[(Vector[Filter], Boolean)] =
    for
      (key, offset) <- Key.of(found.value)
      value <- constantKey(constant, key, found.value)
      if !isCase(found.value) || compared == Equal || compared == NotEqual
      filter <- range(Filter(found.index, key, offset, found.path, value, value), compared)
    yield (found.present :+ filter, true)

  private def range(filter: Filter, compared: Int): Option[Filter] =
    val value = filter.least
    // A true Boolean is any byte but 0, so its key is not one number.
    if filter.key == Key.Bool then
      val isTrue = value != 0
      compared match
        case Equal => Some(if isTrue then filter.copy(least = 1, most = 255) else filter)
        case NotEqual => Some(if isTrue then filter.copy(least = 0, most = 0)
          else filter.copy(least = 1, most = 255))
        case _ => None
    else
      compared match
        case Equal    => Some(filter)
        case NotEqual => Some(filter.copy(isNegated = true))
        case AtMost   => Some(filter.copy(least = Long.MinValue))
        case AtLeast  => Some(filter.copy(most = Long.MaxValue))
        case Less =>
          if value == Long.MinValue then None
          else Some(filter.copy(least = Long.MinValue, most = value - 1))
        case More =>
          if value == Long.MaxValue then None
          else Some(filter.copy(least = value + 1, most = Long.MaxValue))
        case _ => None
    end if
  end range

  private def among(found: Found, condition: Long): Option[(Vector[Filter], Boolean)] =
    val count = children(condition) - 1
    Key.of(found.value) match
      case Some((key, offset)) if key != Key.Bool && count > 0 && count <= MostAmong =>
        val keys = Vector.range(1, count + 1).map: i =>
          val one = child(condition, i)
          if kind(one) == Constant then constantKey(one, key, found.value) else None
        Option.when(keys.forall(_.isDefined)):
          val all = keys.flatten.toArray
          val filter =
            Filter(found.index, key, offset, found.path, all.min, all.max, among = Some(all))
          (found.present :+ filter, true)
      case _ => None

  private def isCase(column: Column): Boolean = column match
    case _: Column.Enumerated => true
    case _                    => false

  /** The key of a constant that has the very type of the column. */
  private def constantKey(expression: Long, key: Key, column: Column): Option[Long] =
    if kind(expression) != Constant then None
    else
      val value = slots.answer(
        Native.expressionConstantGetValue.invokeExact(expression, slots.out, slots.error)
          .asInstanceOf[Int]
      )
      try
        if Values.isNull(value, slots) then None
        else
          (Values.typeOf(value, slots), key, column) match
            case (Values.Enum, _, cases: Column.Enumerated) =>
              Some(cases.cases.indexOf(Values.text(value, slots)).toLong).filter(_ >= 0)
            case (_, _, _: Column.Enumerated) => None
            case (Values.Float | Values.Double, Key.Real32 | Key.Real64, _) =>
              val real = Values.real(value, slots)
              Option.when(isExact(real, key))(Key.of(real))
            case (_, Key.Real32 | Key.Real64, _) => None
            case (Values.Boolean, Key.Bool, _)   => Some(Values.whole(value, slots))
            case (_, Key.Bool, _)                => None
            case (tpe, _, _) if Values.isWhole(tpe) && Values.sizeOf(tpe) == key.size =>
              Some(Values.whole(value, slots))
            case _ => None
      finally Values.destroy(value, slots)

  /** Whether a constant is one of a column's own numbers. */
  private def isExact(real: Double, key: Key): Boolean =
    key == Key.Real64 || real.isNaN || real.toFloat.toDouble == real

  private def kind(expression: Long): Int =
    slots.check(
      Native.expressionGetType.invokeExact(expression, slots.out, slots.error).asInstanceOf[Int]
    )
    slots.int

  private def children(expression: Long): Int =
    slots.answer(
      Native.expressionGetChildCount.invokeExact(expression, slots.out, slots.error)
        .asInstanceOf[Int]
    ).toInt

  private def child(expression: Long, index: Int): Long =
    slots.answer(
      Native.expressionGetChild.invokeExact(expression, index.toLong, slots.out, slots.error)
        .asInstanceOf[Int]
    )
end PushDown

private[duckdb] object PushDown:
  /** DuckDB's numbers of expressions. */
  private final val Not = 13
  private final val IsNull = 14
  private final val IsNotNull = 15
  private final val Equal = 25
  private final val NotEqual = 26
  private final val Less = 27
  private final val More = 28
  private final val AtMost = 29
  private final val AtLeast = 30
  private final val In = 35
  private final val Between = 38
  private final val And = 50
  private final val Constant = 75
  private final val ColumnReference = 228

  /** Values of a list that are compared one by one. */
  private final val MostAmong = 16

  /** The comparison with both sides changed. */
  private def turned(compared: Int): Int = compared match
    case Less    => More
    case More    => Less
    case AtMost  => AtLeast
    case AtLeast => AtMost
    case other   => other
end PushDown

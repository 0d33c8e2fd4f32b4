package undercroft.duckdb

import undercroft.file.ColumnKind

/** Predicate pushdown: takes over conditions on one column of numbers, Booleans or enums, which the
  * scan then decides alone. For `between`, DuckDB does not report whether the bounds are inclusive:
  * the scan includes them, and DuckDB evaluates the condition again.
  */
private[duckdb] final class PushDown(info: Long, bound: BindData, slots: OutParams):
  import PushDown.*

  def run(): Unit =
    val count = slots.answer(
      DuckDbApi.tableFunctionFilterPushdownGetFilterCount.invokeExact(info, slots.out, slots.error)
        .asInstanceOf[Int]
    )
    for i <- 0L until count do
      val condition = slots.answer(
        DuckDbApi.tableFunctionFilterPushdownGetFilter.invokeExact(info, i, slots.out, slots.error)
          .asInstanceOf[Int]
      )
      val predicate = filters(condition)
      predicate.foreach: (parts, isExact) =>
        parts.foreach(bound.add)
        if isExact then
          slots.check(
            DuckDbApi.tableFunctionFilterPushdownAccept.invokeExact(info, i, slots.error)
              .asInstanceOf[Int]
          )
  end run

  /** The filters of a condition and whether they are equivalent to it; None if it is not supported.
    */
  private def filters(condition: Long): Option[(Vector[ColumnFilter], Boolean)] =
    kind(condition) match
      case ColumnReference => column(condition).flatMap(isTrue(_, true))
      case Not             => column(child(condition, 0)).flatMap(isTrue(_, false))
      case IsNull | IsNotNull =>
        column(child(condition, 0)).flatMap(isNull(_, kind(condition) == IsNull))
      case compared if compared >= Equal && compared <= AtLeast =>
        val (left, right) = (child(condition, 0), child(condition, 1))
        if kind(right) == Constant then
          column(left).flatMap(field => comparison(field, compared, right))
        else if kind(left) == Constant then
          column(right).flatMap(field => comparison(field, turned(compared), left))
        else None
      case Between =>
        for
          field <- column(child(condition, 0))
          from <- comparison(field, AtLeast, child(condition, 1))
          to <- comparison(field, AtMost, child(condition, 2))
        yield (from._1 ++ to._1.takeRight(1), false)
      case In =>
        column(child(condition, 0)).flatMap(field => among(field, condition))
      case And =>
        val conjuncts = Vector.tabulate(children(condition))(i => filters(child(condition, i)))
        Option.when(conjuncts.forall(_.isDefined))(conjuncts.flatten).map: parts =>
          (parts.flatMap(_._1), parts.forall(_._2))
      case _ => None

  /** A column with its index; `value` is the content of an Option. */
  private final case class Found(index: Int, column: ColumnKind):
    val value: ColumnKind = column match
      case ColumnKind.Optional(_, _, inner) => inner
      case plain                            => plain
    val path: String = column match
      case ColumnKind.Optional(name, _, _) => s"$name.get"
      case plain                           => plain.name

    /** The filter for a present value, if the column is an Option. */
    def present: Vector[ColumnFilter] = column match
      case ColumnKind.Optional(_, isDefined, _) =>
        Vector(ColumnFilter(index, FilterKey.Bool, isDefined, column.name, 1, 255))
      case _ => Vector()

  private def column(expression: Long): Option[Found] =
    Option.when(kind(expression) == ColumnReference):
      val position = slots.answer(
        DuckDbApi.expressionColumnRefGetIndex.invokeExact(expression, slots.out, slots.error)
          .asInstanceOf[Int]
      )
      slots.answer(
        DuckDbApi.tableFunctionFilterPushdownGetColumnIndex
          .invokeExact(info, position, slots.out, slots.error)
          .asInstanceOf[Int]
      )
    .filter(index => index >= 0 && index < bound.columns.size)
      .map(index => Found(index.toInt, bound.columns(index.toInt)))

  private def isTrue(field: Found, value: Boolean): Option[(Vector[ColumnFilter], Boolean)] =
    FilterKey.of(field.value).collect { case (FilterKey.Bool, offset) =>
      val (minKey, maxKey) = if value then (1L, 255L) else (0L, 0L)
      (
        field.present :+
          ColumnFilter(field.index, FilterKey.Bool, offset, field.path, minKey, maxKey),
        true
      )
    }

  private def isNull(field: Found, negated: Boolean): Option[(Vector[ColumnFilter], Boolean)] =
    field.present.headOption.map(there => (Vector(there.copy(isNegated = negated)), true))

  private def comparison(
      field: Found,
      compared: Int,
      constant: Long
  ): Option[(Vector[ColumnFilter], Boolean)] =
    for
      (key, offset) <- FilterKey.of(field.value)
      value <- constantKey(constant, key, field.value)
      if !isCase(field.value) || compared == Equal || compared == NotEqual
      filter <- range(ColumnFilter(field.index, key, offset, field.path, value, value), compared)
    yield (field.present :+ filter, true)

  private def range(filter: ColumnFilter, compared: Int): Option[ColumnFilter] =
    val value = filter.minKey
    // Any byte except 0 is true, so a true Boolean has several keys.
    if filter.key == FilterKey.Bool then
      val isTrue = value != 0
      compared match
        case Equal => Some(if isTrue then filter.copy(minKey = 1, maxKey = 255) else filter)
        case NotEqual => Some(if isTrue then filter.copy(minKey = 0, maxKey = 0)
          else filter.copy(minKey = 1, maxKey = 255))
        case _ => None
    else
      compared match
        case Equal    => Some(filter)
        case NotEqual => Some(filter.copy(isNegated = true))
        case AtMost   => Some(filter.copy(minKey = Long.MinValue))
        case AtLeast  => Some(filter.copy(maxKey = Long.MaxValue))
        case Less =>
          if value == Long.MinValue then None
          else Some(filter.copy(minKey = Long.MinValue, maxKey = value - 1))
        case More =>
          if value == Long.MaxValue then None
          else Some(filter.copy(minKey = value + 1, maxKey = Long.MaxValue))
        case _ => None
    end if
  end range

  private def among(field: Found, condition: Long): Option[(Vector[ColumnFilter], Boolean)] =
    val count = children(condition) - 1
    FilterKey.of(field.value) match
      case Some((key, offset)) if key != FilterKey.Bool && count > 0 && count <= MostAmong =>
        val keys = Vector.range(1, count + 1).map: i =>
          val element = child(condition, i)
          if kind(element) == Constant then constantKey(element, key, field.value) else None
        Option.when(keys.forall(_.isDefined)):
          val values = keys.flatten.toArray
          val filter =
            ColumnFilter(
              field.index,
              key,
              offset,
              field.path,
              values.min,
              values.max,
              among = Some(values)
            )
          (field.present :+ filter, true)
      case _ => None
  end among

  private def isCase(column: ColumnKind): Boolean = column match
    case _: ColumnKind.Enumerated => true
    case _                        => false

  /** The key of a constant, if it has exactly the column's type. */
  private def constantKey(expression: Long, key: FilterKey, column: ColumnKind): Option[Long] =
    if kind(expression) != Constant then None
    else
      val value = slots.answer(
        DuckDbApi.expressionConstantGetValue.invokeExact(expression, slots.out, slots.error)
          .asInstanceOf[Int]
      )
      try
        if DuckDbValues.isNull(value, slots) then None
        else
          (DuckDbValues.typeOf(value, slots), key, column) match
            case (DuckDbValues.Enum, _, cases: ColumnKind.Enumerated) =>
              Some(cases.cases.indexOf(DuckDbValues.text(value, slots)).toLong).filter(_ >= 0)
            case (_, _, _: ColumnKind.Enumerated) => None
            case (
                  DuckDbValues.Float | DuckDbValues.Double,
                  FilterKey.Real32 | FilterKey.Real64,
                  _
                ) =>
              val real = DuckDbValues.real(value, slots)
              Option.when(isExact(real, key))(FilterKey.of(real))
            case (_, FilterKey.Real32 | FilterKey.Real64, _) => None
            case (DuckDbValues.Boolean, FilterKey.Bool, _) => Some(DuckDbValues.whole(value, slots))
            case (_, FilterKey.Bool, _)                    => None
            case (tpe, _, _) if DuckDbValues.isWhole(tpe) && DuckDbValues.sizeOf(tpe) == key.size =>
              Some(DuckDbValues.whole(value, slots))
            case _ => None
      finally DuckDbValues.destroy(value, slots)
      end try

  /** Whether the column's type represents a constant exactly. */
  private def isExact(real: Double, key: FilterKey): Boolean =
    key == FilterKey.Real64 || real.isNaN || real.toFloat.toDouble == real

  private def kind(expression: Long): Int =
    slots.check(
      DuckDbApi.expressionGetType.invokeExact(expression, slots.out, slots.error).asInstanceOf[Int]
    )
    slots.int

  private def children(expression: Long): Int =
    slots.answer(
      DuckDbApi.expressionGetChildCount.invokeExact(expression, slots.out, slots.error)
        .asInstanceOf[Int]
    ).toInt

  private def child(expression: Long, index: Int): Long =
    slots.answer(
      DuckDbApi.expressionGetChild.invokeExact(expression, index.toLong, slots.out, slots.error)
        .asInstanceOf[Int]
    )
end PushDown

private[duckdb] object PushDown:
  /** DuckDB's numbers of expression types. */
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

  /** The longest `in` list that is compared value by value. */
  private final val MostAmong = 16

  /** The comparison with exchanged operands. */
  private def turned(compared: Int): Int = compared match
    case Less      => More
    case More      => Less
    case AtMost    => AtLeast
    case AtLeast   => AtMost
    case symmetric => symmetric
end PushDown

package undercroft.duckdb
package internal.scan

import internal.api.{CString, DuckDbApi, DuckDbValues, OutParams}
import internal.sql.{SqlMeaning, SqlText, SqlType}
import undercroft.file.ColumnKind
import undercroft.file.format.LogicalKind

/** Predicate pushdown: takes over conditions on numbers, Booleans, enums and texts, which the scan
  * then decides alone. They may be fields of structs and the contents of Options, and may be joined
  * by `and` and `or`. For `between`, DuckDB does not report whether the bounds are inclusive: the
  * scan includes them, and DuckDB evaluates the condition again.
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
      filters(condition).foreach: predicate =>
        predicate.all.foreach(bound.add)
        predicate.choices.foreach(bound.add)
        bound.explanation.add(bound, shown(condition))
        if predicate.isExact then
          slots.check(
            DuckDbApi.tableFunctionFilterPushdownAccept.invokeExact(info, i, slots.error)
              .asInstanceOf[Int]
          )
  end run

  /** A condition as filters that must all hold, and choices; `isExact` if they are equivalent to
    * it, otherwise they hold for more rows.
    */
  private final case class Predicate(
      all: Vector[ColumnFilter],
      choices: Vector[FilterChoice] = Vector(),
      isExact: Boolean = true
  )

  /** The filters of a condition; None if it is not supported. */
  private def filters(condition: Long): Option[Predicate] =
    kind(condition) match
      case Function if children(condition) == 2 && isPrefix(functionName(condition)) =>
        found(child(condition, 0)).flatMap(startsWith(_, child(condition, 1)))
      case ColumnReference | Function => found(condition).flatMap(isTrue(_, true))
      case Not                        => found(child(condition, 0)).flatMap(isTrue(_, false))
      case IsNull                     => found(child(condition, 0)).flatMap(isNull)
      case IsNotNull                  => found(child(condition, 0)).flatMap(isNotNull)
      case compared if compared >= Equal && compared <= AtLeast =>
        val (left, right) = (child(condition, 0), child(condition, 1))
        if kind(right) == Constant then
          found(left).flatMap(field => comparison(field, compared, right))
        else if kind(left) == Constant then
          found(right).flatMap(field => comparison(field, turned(compared), left))
        else None
      case Between =>
        for
          field <- found(child(condition, 0))
          from <- comparison(field, AtLeast, child(condition, 1))
          to <- comparison(field, AtMost, child(condition, 2))
        yield Predicate(from.all ++ to.all.takeRight(1), isExact = false)
      case In =>
        found(child(condition, 0)).flatMap(field => among(field, condition))
      case And =>
        parts(condition).map: conjuncts =>
          Predicate(
            conjuncts.flatMap(_.all),
            conjuncts.flatMap(_.choices),
            conjuncts.forall(_.isExact)
          )
      case Or if children(condition) <= MostAlternatives =>
        parts(condition).filter(_.forall(_.choices.isEmpty)).map: alternatives =>
          Predicate(
            Vector(),
            Vector(FilterChoice(alternatives.map(_.all))),
            alternatives.forall(_.isExact)
          )
      case _ => None

  /** The predicates of all children, or None if one is not supported. */
  private def parts(condition: Long): Option[Vector[Predicate]] =
    val parts = Vector.tabulate(children(condition))(i => filters(child(condition, i)))
    Option.when(parts.forall(_.isDefined))(parts.flatten)

  /** A value in a row: a column, a field of a struct, or the content of an Option.
    *
    * @param path
    *   the path of the field, by which a file has its statistics
    * @param present
    *   the filters for the Options that it is in
    * @param isCast
    *   whether DuckDB compares it as a value of the constant's type
    */
  private final case class Found(
      index: Int,
      value: ColumnKind,
      path: Vector[String],
      present: Vector[ColumnFilter],
      isCast: Boolean = false
  )

  private def found(expression: Long): Option[Found] = kind(expression) match
    case ColumnReference => column(expression)
    // A second cast converts a converted value, as in `price::boolean::int`: DuckDB compares it.
    case Cast => found(child(expression, 0)).filter(!_.isCast).map(_.copy(isCast = true))
    case Function if children(expression) == 2 && functionName(expression) == "struct_extract" =>
      for
        outer <- found(child(expression, 0))
        if !outer.isCast
        name <- constantText(child(expression, 1))
        field <- outer.value match
          case ColumnKind.Record(_, fields) =>
            fields.find(_.name == name).orElse(fields.find(f => SqlText.isSameName(f.name, name)))
          case _ => None
      yield content(outer.index, field, outer.path :+ field.name, outer.present)
    // DuckDB compares INTERVALs in a normal form, whose order is that of their lengths.
    case Function if children(expression) == 1 && functionName(expression) == NormalizedInterval =>
      found(child(expression, 0)).filter(field => isDuration(field.value))
    case _ => None

  private def columnIndex(expression: Long): Long =
    val position = slots.answer(
      DuckDbApi.expressionColumnRefGetIndex.invokeExact(expression, slots.out, slots.error)
        .asInstanceOf[Int]
    )
    slots.answer(
      DuckDbApi.tableFunctionFilterPushdownGetColumnIndex
        .invokeExact(info, position, slots.out, slots.error)
        .asInstanceOf[Int]
    )

  private def column(expression: Long): Option[Found] =
    val index = columnIndex(expression)
    Option.when(index >= 0 && index < bound.columns.size):
      val column = bound.columns(index.toInt)
      content(index.toInt, column, Vector(column.name), Vector())

  private def content(
      index: Int,
      column: ColumnKind,
      path: Vector[String],
      present: Vector[ColumnFilter]
  ): Found =
    column match
      case ColumnKind.Optional(_, isDefined, value) =>
        val there = ColumnFilter(index, FilterKey.Bool, isDefined, path, 1, 255)
        Found(index, SqlMeaning.of(value), path :+ "get", present :+ there)
      case plain => Found(index, SqlMeaning.of(plain), path, present)

  private def isTrue(field: Found, value: Boolean): Option[Predicate] =
    FilterKey.of(field.value).collect:
      case (FilterKey.Bool, offset) if !field.isCast =>
        val (minKey, maxKey) = if value then (1L, 255L) else (0L, 0L)
        Predicate(
          field.present :+
            ColumnFilter(field.index, FilterKey.Bool, offset, field.path, minKey, maxKey)
        )

  // TRY_CAST makes a null of a value that is not null.
  private def isNull(field: Found): Option[Predicate] = field.present match
    case Vector(there) if !field.isCast => Some(Predicate(Vector(there.copy(isNegated = true))))
    case _                              => None

  private def isNotNull(field: Found): Option[Predicate] =
    Option.when(field.present.nonEmpty && !field.isCast)(Predicate(field.present))

  private def comparison(field: Found, compared: Int, constant: Long): Option[Predicate] =
    field.value match
      case text: ColumnKind.Text =>
        textConstant(constant).flatMap: value =>
          val condition = compared match
            case Equal | NotEqual => Some(TextCondition.Among(Vector(value)))
            case Less             => Some(TextCondition.Before(value, false))
            case AtMost           => Some(TextCondition.Before(value, true))
            case More             => Some(TextCondition.After(value, false))
            case AtLeast          => Some(TextCondition.After(value, true))
            case _                => None
          condition.flatMap(textPredicate(field, text, _, compared == NotEqual))
      case _ => numberComparison(field, compared, constant)

  private def startsWith(field: Found, prefix: Long): Option[Predicate] = field.value match
    case text: ColumnKind.Text =>
      textConstant(prefix).flatMap: value =>
        textPredicate(field, text, TextCondition.StartsWith(value), false)
    case _ => None

  private def textConstant(expression: Long): Option[Array[Byte]] =
    constantText(expression).flatMap(TextCondition.constant)

  private def textPredicate(
      field: Found,
      text: ColumnKind.Text,
      condition: TextCondition,
      isNegated: Boolean
  ): Option[Predicate] =
    Option.when(!field.isCast):
      val isFolder = field.index >= bound.fieldCount
      val filter = ColumnFilter(
        field.index,
        FilterKey.Text,
        text.offset,
        field.path,
        0,
        0,
        isNegated,
        text = Some(condition),
        textSize = if isFolder then 0 else text.size
      )
      Predicate(field.present :+ filter)

  private def numberComparison(field: Found, compared: Int, constant: Long): Option[Predicate] =
    for
      (key, offset) <- FilterKey.of(field.value)
      value <- constantKey(constant, key, field)
      if !isCase(field.value) || compared == Equal || compared == NotEqual
      filter <- range(ColumnFilter(field.index, key, offset, field.path, value, value), compared)
    yield Predicate(field.present :+ filter)

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

  private def among(field: Found, condition: Long): Option[Predicate] =
    val count = children(condition) - 1
    (field.value, FilterKey.of(field.value)) match
      case (text: ColumnKind.Text, _) if count > 0 && count <= MostAmong =>
        val texts = Vector.range(1, count + 1).map(i => textConstant(child(condition, i)))
        Option.when(texts.forall(_.isDefined))(TextCondition.Among(texts.flatten))
          .flatMap(textPredicate(field, text, _, false))
      case (_, Some((key, offset))) if key != FilterKey.Bool && count > 0 && count <= MostAmong =>
        val keys = Vector.range(1, count + 1).map: i =>
          val element = child(condition, i)
          if kind(element) == Constant then constantKey(element, key, field) else None
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
          Predicate(field.present :+ filter)
      case _ => None
    end match
  end among

  /** The names of the function to which DuckDB turns `like 'a%'`. */
  private def isPrefix(name: String): Boolean =
    name == "prefix" || name == "starts_with" || name == "^@"

  private def isCase(column: ColumnKind): Boolean = column match
    case _: ColumnKind.Enumerated => true
    case _                        => false

  private def isDuration(column: ColumnKind): Boolean = column match
    case ColumnKind.Logical(_, _: LogicalKind.Duration, _) => true
    case _                                                 => false

  private def isLogical(column: ColumnKind): Boolean = column match
    case _: ColumnKind.Logical => true
    case _                     => false

  /** The key of a constant, if it has exactly the column's type, or if the column is cast to its
    * type and that has all values of the column's.
    */
  private def constantKey(expression: Long, key: FilterKey, field: Found): Option[Long] =
    if kind(expression) != Constant then None
    else
      val value = constant(expression)
      try
        if DuckDbValues.isNull(value, slots) then None
        else if field.isCast then widenedKey(value, key, field.value)
        else exactKey(value, key, field.value)
      finally DuckDbValues.destroy(value, slots)

  private def exactKey(value: Long, key: FilterKey, column: ColumnKind): Option[Long] =
    (DuckDbValues.typeOf(value, slots), key, column) match
      case (tpe, _, ColumnKind.Logical(_, kind, _)) =>
        if tpe == SqlMeaning.typeNumber(kind) then
          SqlMeaning.stored(kind, DuckDbValues.text(value, slots))
        else None
      case (DuckDbValues.Enum, _, cases: ColumnKind.Enumerated) =>
        Some(cases.cases.indexOf(DuckDbValues.text(value, slots)).toLong).filter(_ >= 0)
      case (_, _, _: ColumnKind.Enumerated) => None
      case (DuckDbValues.Float | DuckDbValues.Double, FilterKey.Real32 | FilterKey.Real64, _) =>
        val real = DuckDbValues.real(value, slots)
        Option.when(isExact(real, key))(FilterKey.of(real))
      case (_, FilterKey.Real32 | FilterKey.Real64, _) => None
      case (DuckDbValues.Boolean, FilterKey.Bool, _)   => Some(DuckDbValues.whole(value, slots))
      case (_, FilterKey.Bool, _)                      => None
      case (tpe, _, _) if DuckDbValues.isWhole(tpe) && DuckDbValues.sizeOf(tpe) == key.size =>
        Some(DuckDbValues.whole(value, slots))
      case _ => None

  private def widenedKey(value: Long, key: FilterKey, column: ColumnKind): Option[Long] =
    (DuckDbValues.typeOf(value, slots), key) match
      case _ if isCase(column) || isLogical(column) => None
      case (DuckDbValues.Double, FilterKey.Real32 | FilterKey.Real64) =>
        Some(FilterKey.of(DuckDbValues.real(value, slots)))
      case (tpe, whole) if DuckDbValues.isWhole(tpe) && whole.isWhole =>
        val isSigned = DuckDbValues.isSigned(tpe)
        val size = DuckDbValues.sizeOf(tpe)
        val holdsAll = if isSigned == whole.isSigned then size >= whole.size
        else isSigned && size > whole.size
        Option.when(holdsAll)(DuckDbValues.whole(value, slots))
      case _ => None

  /** A supported condition as SQL, for an [[Explanation]]. */
  private def shown(condition: Long): String =
    def part(index: Int) = shown(child(condition, index))
    def parts = Vector.tabulate(children(condition))(part)
    kind(condition) match
      case ColumnReference => SqlType.shownName(bound.columns(columnIndex(condition).toInt).name)
      case Constant        => shownConstant(condition)
      case Cast            => part(0)
      case Not             => s"not ${part(0)}"
      case IsNull          => s"${part(0)} is null"
      case IsNotNull       => s"${part(0)} is not null"
      case compared if compared >= Equal && compared <= AtLeast =>
        s"${part(0)} ${Comparisons(compared - Equal)} ${part(1)}"
      case Between => s"${part(0)} between ${part(1)} and ${part(2)}"
      case In      => s"${part(0)} in ${parts.tail.mkString("(", ", ", ")")}"
      case And     => parts.mkString(" and ")
      case Or      => parts.mkString("(", " or ", ")")
      case Function =>
        functionName(condition) match
          case "struct_extract" =>
            s"${part(0)}.${SqlType.shownName(constantText(child(condition, 1)).getOrElse(""))}"
          case NormalizedInterval => part(0)
          case name               => s"$name${parts.mkString("(", ", ", ")")}"
      case other => throw IllegalStateException(s"expression $other")
    end match
  end shown

  private def shownConstant(expression: Long): String =
    val value = constant(expression)
    try
      SqlValue.of(value, slots) match
        case SqlValue.Text(text) => s"'${text.replace("'", "''")}'"
        case other               => other.show
    finally DuckDbValues.destroy(value, slots)

  private def constant(expression: Long): Long = slots.answer(
    DuckDbApi.expressionConstantGetValue.invokeExact(expression, slots.out, slots.error)
      .asInstanceOf[Int]
  )

  private def constantText(expression: Long): Option[String] =
    if kind(expression) != Constant then None
    else
      val value = constant(expression)
      try
        val isText = DuckDbValues.typeOf(value, slots) == DuckDbValues.VarChar &&
          !DuckDbValues.isNull(value, slots)
        Option.when(isText)(DuckDbValues.text(value, slots))
      finally DuckDbValues.destroy(value, slots)

  private def functionName(expression: Long): String =
    slots.check(
      DuckDbApi.expressionFunctionGetName.invokeExact(expression, slots.out, slots.error)
        .asInstanceOf[Int]
    )
    CString.at(slots.word, slots.second)

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
  private final val Cast = 12
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
  private final val Or = 51
  private final val Constant = 75
  private final val Function = 141
  private final val ColumnReference = 228

  private final val NormalizedInterval = "normalized_interval"

  /** The operators of the comparisons, from [[Equal]] on. */
  private val Comparisons = Vector("=", "<>", "<", ">", "<=", ">=")

  /** The longest `or` that is evaluated by the scan. */
  private final val MostAlternatives = 16

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

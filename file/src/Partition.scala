package undercroft.file

import java.time.LocalDate
import java.util.{Optional, UUID}
import scala.annotation.implicitNotFound
import scala.compiletime.{constValueTuple, summonAll}
import scala.jdk.CollectionConverters.*
import undercroft.file.format.internal.folder.PartitionPath

/** The values in the names of a file's folders: `day=2026-11-24/venue=XLON` has two. Immutable.
  *
  * {{{
  * val partition = Partition.parse("day=2026-11-24/venue=XLON")
  * println(partition.values) // Vector((day,Some(2026-11-24)), (venue,Some(XLON)))
  * }}}
  */
final case class Partition(values: Vector[(String, Option[String])]) derives CanEqual:

  /** The names of the values, outermost folder first. */
  def names: Vector[String] = values.map(_._1)

  /** The folders, as Hive and Spark name them; empty for a file in the table's folder itself.
    *
    * {{{
    * println(Partition(Vector(("share", Some("50%")))).path) // share=50%25
    * }}}
    */
  def path: String =
    val map = java.util.LinkedHashMap[String, Optional[String]]()
    for (name, value) <- values do
      map.put(name, value.fold(Optional.empty[String]())(Optional.of(_)))
    PartitionPath.of(map)

  /** The values as a named tuple. Throws IllegalArgumentException if a name is missing, or a value
    * is not of its type.
    *
    * {{{
    * import java.time.LocalDate
    * val key = Partition.parse("day=2026-11-24").as[(day: LocalDate)]
    * println(key.day.getYear) // 2026
    * }}}
    */
  def as[P](using key: PartitionKey[P]): P = key.of(this)

  override def toString: String = if values.isEmpty then "no partition" else path
end Partition

object Partition:

  /** The partition of a file in the table's folder itself. */
  val none: Partition = Partition(Vector())

  /** The values in a path of folders. Throws IllegalArgumentException if one is not of the form
    * `name=value`.
    */
  def parse(path: String): Partition =
    Partition(
      PartitionPath.values(path).asScala.toVector.map((name, value) =>
        (name, if value.isPresent then Some(value.get) else None)
      )
    )

  /** The partition of a key. */
  def of[P](key: P)(using keys: PartitionKey[P]): Partition = keys.partition(key)
end Partition

/** A type whose values can be in the name of a partition folder: String, Boolean, Int, Long,
  * LocalDate, UUID, or an Option of one of them.
  */
@implicitNotFound(
  "a partition cannot have a value of type ${A}: it can be String, Boolean, Int, Long, LocalDate, " +
    "UUID, an Option of these, or a type with a given PartitionValue"
)
trait PartitionValue[A]:

  /** The value of a text. Throws an exception if the text has another form. */
  def parse(text: Option[String]): A

  /** The text of a value; None for a missing one. */
  def show(value: A): Option[String]

  /** The name of the type in errors; empty if it is not known. */
  private[file] def typeName: String = ""

object PartitionValue:

  /** Values that are never missing.
    *
    * {{{
    * import java.time.YearMonth
    * given PartitionValue[YearMonth] = PartitionValue.of(YearMonth.parse(_), _.toString)
    * println(Partition.parse("month=2026-11").as[(month: YearMonth)].month.lengthOfMonth) // 30
    * }}}
    */
  def of[A](parseText: String => A, showText: A => String): PartitionValue[A] =
    named("")(parseText, showText)

  private def named[A](name: String)(
      parseText: String => A,
      showText: A => String
  ): PartitionValue[A] =
    new PartitionValue[A]:
      def parse(text: Option[String]): A =
        parseText(text.getOrElse(throw IllegalArgumentException("it is missing")))
      def show(value: A): Option[String] = Some(showText(value))
      override private[file] def typeName: String = name

  given PartitionValue[String] = named("String")(text => text, text => text)
  given PartitionValue[Boolean] = named("Boolean")(_.toBoolean, _.toString)
  given PartitionValue[Int] = named("Int")(_.toInt, _.toString)
  given PartitionValue[Long] = named("Long")(_.toLong, _.toString)
  given PartitionValue[LocalDate] = named("LocalDate")(LocalDate.parse(_), _.toString)
  given PartitionValue[UUID] = named("UUID")(UUID.fromString(_), _.toString)
  given [A] => (inner: PartitionValue[A]) => PartitionValue[Option[A]]:
    def parse(text: Option[String]): Option[A] = text.map(text => inner.parse(Some(text)))
    def show(value: Option[A]): Option[String] = value.flatMap(inner.show)
    override private[file] def typeName: String =
      if inner.typeName.isEmpty then "" else s"Option[${inner.typeName}]"
end PartitionValue

/** The names and the types of a partition's values: a named tuple such as `(day: LocalDate)`. A
  * folder may have more names than the tuple, in any order.
  */
@implicitNotFound("a partition key is a named tuple such as (day: LocalDate), not ${P}")
trait PartitionKey[P]:
  def names: Vector[String]

  /** The values of a partition as a key. Throws IllegalArgumentException if a name is missing, or a
    * value is not of its type.
    */
  def of(partition: Partition): P
  def partition(key: P): Partition

object PartitionKey:
  inline given [N <: Tuple, V <: Tuple] => PartitionKey[NamedTuple.NamedTuple[N, V]] =
    OfTuple(
      constValueTuple[N].toList.map(_.toString).toVector,
      summonAll[Tuple.Map[V, PartitionValue]].toList.toVector
        .map(_.asInstanceOf[PartitionValue[Any]])
    )

  /** The key of a named tuple. */
  final class OfTuple[N <: Tuple, V <: Tuple](
      val names: Vector[String],
      types: Vector[PartitionValue[Any]]
  ) extends PartitionKey[NamedTuple.NamedTuple[N, V]]:

    def of(partition: Partition): NamedTuple.NamedTuple[N, V] =
      val values = names.zip(types).map: (name, tpe) =>
        val text = partition.values.find(_._1 == name).getOrElse:
          throw IllegalArgumentException(
            s"a partition must have a value of $name, but has those of " +
              s"(${partition.names.mkString(", ")})"
          )
        try tpe.parse(text._2)
        catch
          case error: RuntimeException =>
            throw IllegalArgumentException(
              s"the partition value $name=${text._2.getOrElse("(missing)")} must be of " +
                s"${expected(tpe)}, but is not: ${error.getMessage}",
              error
            )
      NamedTuple.build[N]()(Tuple.fromArray(values.toArray[Any]).asInstanceOf[V])

    private def expected(tpe: PartitionValue[Any]): String =
      if tpe.typeName.isEmpty then "its type in the key" else s"type ${tpe.typeName}"

    def partition(key: NamedTuple.NamedTuple[N, V]): Partition =
      val values = key.toTuple.productIterator.toVector
      Partition(names.zip(types.zip(values).map((tpe, value) => tpe.show(value))))
  end OfTuple
end PartitionKey

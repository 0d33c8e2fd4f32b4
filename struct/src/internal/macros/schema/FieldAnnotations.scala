package undercroft.struct
package internal.macros.schema

import scala.quoted.*
import undercroft.struct.{Shape, align, bigEndian, offset}

/** The fields of a case class, laid out according to its annotations. */
private[struct] object FieldAnnotations:

  def fields(using
      Quotes
  )(
      tpe: quotes.reflect.TypeRepr,
      members: List[(String, quotes.reflect.TypeRepr)]
  ): List[Shape.Field] =
    import quotes.reflect.*
    val symbol = tpe.typeSymbol
    val parameters = symbol.primaryConstructor.paramSymss.flatten.filter(_.isTerm)
    def fail(field: String, message: String): Nothing =
      report.errorAndAbort(
        s"${symbol.name} cannot derive Struct: field `$field` $message",
        FieldPosition.named(symbol, field)
      )
    def checkedOffset(name: String, start: Int): Int =
      if start < 0 || start > Shape.MaxBytes then
        fail(name, s"cannot be at offset $start: an offset is 0 to ${Shape.MaxBytes}")
      start

    def bigEndian(name: String, inner: TypeRepr): Shape =
      ShapeDerivation.kind(inner.dealias) match
        case Some(kind) if kind.size == 1 && !kind.isCompound =>
          fail(
            name,
            s"is a ${ShapeDerivation.named(inner)}, which is stored in one byte: that has no order"
          )
        case Some(kind) if !kind.isCompound && !StoredTypes.isReference(inner.dealias) =>
          val (cases, encoding) =
            (StoredTypes.cases(inner.dealias), StoredTypes.encoding(inner.dealias))
          Shape.Primitive(Shape.Kind.BigEndian(kind), cases, encoding)
        case _ =>
          fail(
            name,
            s"is a ${ShapeDerivation.named(inner)}: the order of bytes is of a Short, Char, Int, Long, Float or " +
              "Double, and of a type that is stored as one"
          )

    val whole = alignment(symbol)(fail(symbol.name, _))
    val laidOut = members.zipWithIndex.map:
      case ((name, inner), k) =>
        val parameter = parameters.find(_.name == name)
        val fieldAlignment = parameter.fold(1)(alignment(_)(fail(name, _)))
        val start = parameter
          .flatMap(number[offset](_)(fail(name, _)))
          .map(checkedOffset(name, _))
        val startAlignment = if k == 0 then Math.max(fieldAlignment, whole) else fieldAlignment
        val swapped = parameter.exists(_.hasAnnotation(TypeRepr.of[bigEndian].typeSymbol))
        val shape =
          if swapped then bigEndian(name, inner) else ShapeDerivation.shapeOf(inner.dealias)
        val dimensions = ShapeDerivation.dimensions(inner.dealias)
        Shape.Field(name, shape, startAlignment, start.getOrElse(-1), dimensions)
    val _ = laidOut
      .foldLeft(0): (end, field) =>
        val start = field.start(end)
        if field.offset >= 0 && (field.offset < end || start != field.offset) then
          fail(
            field.name,
            s"cannot be at offset ${field.offset}: the fields before end at $end, and it is " +
              s"aligned to ${field.mostAligned} bytes"
          )
        if end == 0 && start > 0 then fail(field.name, "is the first: its offset is 0")
        val fieldEnd = start.toLong + field.shape.alignedSize
        if fieldEnd > Shape.MaxBytes then
          fail(
            field.name,
            s"ends at $fieldEnd bytes: a struct has at most ${Shape.MaxBytes} bytes"
          )
        fieldEnd.toInt
    laidOut
  end fields

  /** The alignment that the annotation of a class or a field sets, in bytes; 1 if it has none. */
  def alignment(using Quotes)(of: quotes.reflect.Symbol)(fail: String => Nothing): Int =
    val bytes = number[align](of)(fail).getOrElse(1)
    if bytes < 1 || bytes > align.MaxBytes || Integer.bitCount(bytes) != 1 then
      fail(s"must be aligned to a power of two of at most ${align.MaxBytes} bytes, not to $bytes")
    bytes

  /** The number of an annotation. */
  private def number[A: Type](using
      Quotes
  )(of: quotes.reflect.Symbol)(fail: String => Nothing): Option[Int] =
    import quotes.reflect.*
    of.annotations.collectFirst:
      case Apply(Select(New(tpt), _), List(argument)) if tpt.tpe =:= TypeRepr.of[A] =>
        argument match
          case Literal(IntConstant(n)) => n
          case _                       => fail("is annotated with a number that is not written out")
end FieldAnnotations

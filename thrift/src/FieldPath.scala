package undercroft.thrift

import org.apache.thrift.TFieldIdEnum
import org.apache.thrift.protocol.{TField, TProtocol, TProtocolException, TType}

/** A way from the outermost struct of a message to a field in it: every field on the way but the
  * last is a struct or a union.
  */
private[thrift] final class FieldPath(fields: Seq[TFieldIdEnum]):
  if fields.contains(null) then throw NullPointerException("a field of a path is null")

  /** Skips the fields before the last one of the path, whose value is read next; returns false if a
    * field of the path is absent.
    */
  def enter(from: TProtocol, kind: Byte): Boolean =
    from.readStructBegin(): Unit
    fields.indices.forall: i =>
      val isLast = i == fields.size - 1
      val found = find(from, fields(i).getThriftFieldId)
      if found.`type` == TType.STOP then false
      else
        check(fields(i), found.`type`, if isLast then kind else TType.STRUCT)
        if !isLast then from.readStructBegin(): Unit
        true

  /** The first field with an id, or the stop field. */
  private def find(from: TProtocol, id: Short): TField =
    var field = from.readFieldBegin()
    while field.`type` != TType.STOP && field.id != id do
      from.skip(field.`type`)
      from.readFieldEnd()
      field = from.readFieldBegin()
    field

  private def check(field: TFieldIdEnum, kind: Byte, expected: Byte): Unit =
    if kind != expected then
      throw TProtocolException(
        TProtocolException.INVALID_DATA,
        s"field ${field.getThriftFieldId} (${field.getFieldName}) is of type " +
          s"${FieldPath.nameOf(kind)}, not ${FieldPath.nameOf(expected)}"
      )
end FieldPath

private object FieldPath:
  private def nameOf(kind: Byte): String = kind match
    case TType.BOOL   => "bool"
    case TType.BYTE   => "i8"
    case TType.I16    => "i16"
    case TType.I32    => "i32"
    case TType.I64    => "i64"
    case TType.DOUBLE => "double"
    case TType.STRING => "string or binary"
    case TType.STRUCT => "struct"
    case TType.MAP    => "map"
    case TType.SET    => "set"
    case TType.LIST   => "list"
    case TType.UUID   => "uuid"
    case other        => other.toString
end FieldPath

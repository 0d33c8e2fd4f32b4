package undercroft.thrift

import java.nio.ByteBuffer
import java.util.UUID
import org.apache.thrift.protocol.{TProtocol, TType}

/** The types of a field that [[ThriftDeserializer.field]] reads alone: Boolean, Byte, Short, Int,
  * Long, Double, String, ByteBuffer (a copy) and UUID, each for the type of Thrift with that form.
  *
  * {{{
  * import org.apache.thrift.protocol.TType
  * println(summon[ThriftValue[Long]].kind == TType.I64) // true
  * }}}
  *
  * @param kind
  *   one of TType's constants
  */
final class ThriftValue[A] private (val kind: Byte, private[thrift] val read: TProtocol => A)

object ThriftValue:
  given ThriftValue[Boolean] = ThriftValue(TType.BOOL, _.readBool())
  given ThriftValue[Byte] = ThriftValue(TType.BYTE, _.readByte())
  given ThriftValue[Short] = ThriftValue(TType.I16, _.readI16())
  given ThriftValue[Int] = ThriftValue(TType.I32, _.readI32())
  given ThriftValue[Long] = ThriftValue(TType.I64, _.readI64())
  given ThriftValue[Double] = ThriftValue(TType.DOUBLE, _.readDouble())
  given ThriftValue[String] = ThriftValue(TType.STRING, _.readString())
  given ThriftValue[ByteBuffer] = ThriftValue(TType.STRING, _.readBinary())
  given ThriftValue[UUID] = ThriftValue(TType.UUID, _.readUuid())

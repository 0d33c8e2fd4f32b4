package undercroft.cli

import java.lang.foreign.{MemorySegment, ValueLayout}
import java.nio.charset.StandardCharsets.UTF_8
import undercroft.duckdb.SqlValue
import undercroft.file.format.Type

/** The values of a SQL expression in the rows of a struct file.
  *
  * @param path
  *   the name of the column or of the STRUCT's field, for errors
  */
private[cli] final class StoredColumn(
    path: String,
    val selection: String,
    val stored: Type,
    val offset: Int
):
  private val caseNumbers: Map[String, Int] = stored match
    case ordinal: Type.Ordinal => Numbers.of(ordinal)
    case _                     => Map.empty

  /** Stores a value in a row whose bytes are all zero. */
  def put(data: MemorySegment, at: Long, value: SqlValue): Unit = value match
    case SqlValue.Null           => ()
    case SqlValue.Bool(is)       => putInteger(data, at, if is then 1 else 0)
    case SqlValue.Integer(value) => putInteger(data, at, value.toLong)
    case SqlValue.Double(value) if stored == Type.Primitive.FLOAT =>
      data.set(ValueLayout.JAVA_FLOAT_UNALIGNED, at, value.toFloat)
    case SqlValue.Double(value) => data.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, at, value)
    case other                  => putText(data, at, other.show)

  private def putInteger(data: MemorySegment, at: Long, value: Long): Unit = stored.size match
    case 1 => data.set(ValueLayout.JAVA_BYTE, at, value.toByte)
    case 2 => data.set(ValueLayout.JAVA_SHORT_UNALIGNED, at, value.toShort)
    case 4 => data.set(ValueLayout.JAVA_INT_UNALIGNED, at, value.toInt)
    case _ => data.set(ValueLayout.JAVA_LONG_UNALIGNED, at, value)

  private def putText(data: MemorySegment, at: Long, text: String): Unit =
    if caseNumbers.nonEmpty then putInteger(data, at, caseNumbers(text))
    else
      val bytes = text.getBytes(UTF_8)
      if bytes.nonEmpty && bytes.last == 0 then
        throw BadInput(s"column '$path' has a text that ends with U+0000, its padding")
      MemorySegment.copy(bytes, 0, data, ValueLayout.JAVA_BYTE, at, bytes.length)
end StoredColumn

private object Numbers:
  def of(ordinal: Type.Ordinal): Map[String, Int] =
    import scala.jdk.CollectionConverters.*
    ordinal.cases.asScala.zipWithIndex.toMap

package undercroft.buffer
package internal.codec

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.{ByteBuffer, CharBuffer}

/** Bytes as one line of text for people. */
private[buffer] object TextPreview:

  /** The text with escapes, or None if the bytes are not UTF-8 or have control characters.
    *
    * @param isCut
    *   whether the bytes end where a larger text was cut, possibly inside a character
    */
  def of(bytes: Array[Byte], isCut: Boolean): Option[String] =
    val chars = CharBuffer.allocate(bytes.length)
    val outcome = UTF_8.newDecoder.decode(ByteBuffer.wrap(bytes), chars, !isCut)
    val text = chars.flip().toString
    Option.when(!outcome.isError && text.forall(isShown))(text.flatMap(escaped))

  private def isShown(char: Char): Boolean =
    !Character.isISOControl(char) || char == '\n' || char == '\r' || char == '\t'

  private def escaped(char: Char): String = char match
    case '\n' => "\\n"
    case '\r' => "\\r"
    case '\t' => "\\t"
    case '\\' => "\\\\"
    case _    => char.toString
end TextPreview

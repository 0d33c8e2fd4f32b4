package undercroft.pekko

/** The reason why bytes from another node are not a message.
  *
  * {{{
  * def isVersionConflict(error: MessageFormatException): Boolean = error.fault match
  *   case MessageFault.UnknownType | MessageFault.UnknownCase | MessageFault.WrongSchema => true
  *   case _                                                                              => false
  * }}}
  */
enum MessageFault derives CanEqual:

  /** The bytes end inside a value, or claim more elements than bytes remain. */
  case Truncated

  /** Bytes follow the last field. */
  case TrailingBytes

  /** A value that its type does not have: a Boolean of 7, malformed UTF-8, a text that is too long.
    */
  case InvalidValue

  /** No registered codec has this type name. */
  case UnknownType

  /** The sender's type has a case that the receiver's type does not have. */
  case UnknownCase

  /** The sender's fields cannot be converted to the fields of the receiver. */
  case WrongSchema

  /** The manifest is not in this format. */
  case MalformedManifest

  /** A constructor or a user's codec threw an exception, which is the cause, or the codec returned
    * null, or the text of a reference is malformed.
    */
  case Rejected
end MessageFault

/** Bytes or a manifest from another node are not a message of this node's types. Nothing was
  * delivered. Pekko logs it, drops the message and keeps the connection.
  *
  * {{{
  * def describe(error: MessageFormatException): String =
  *   s"${error.typeName}: ${error.fault} in [${error.from}, ${error.until})"
  * }}}
  *
  * @param typeName
  *   the name of the message's type, with its case; empty if the manifest tells none
  * @param from
  *   the start of the faulty range: in bytes of the message; for the faults UnknownType,
  *   MalformedManifest and WrongSchema in characters of the manifest; for UnknownCase of a message
  *   as a whole, too
  * @param until
  *   the end of that range, exclusive
  */
final class MessageFormatException private[pekko] (
    val fault: MessageFault,
    val typeName: String,
    val from: Long,
    val until: Long,
    detail: String,
    cause: Throwable | Null = null
) extends java.io.NotSerializableException(
      MessageFormatException.message(fault, typeName, from, until, detail)
    ):
  if cause ne null then initCause(cause): Unit

  /** The same error with the stack of this call. */
  private[pekko] def copied: MessageFormatException =
    MessageFormatException(fault, typeName, from, until, detail, cause)

private[pekko] object MessageFormatException:
  /** The most characters of a name or a manifest in an error. */
  private val MostCharacters = 200

  def message(
      fault: MessageFault,
      typeName: String,
      from: Long,
      until: Long,
      detail: String
  ): String =
    val subject = if typeName.isEmpty then "a message" else shorten(typeName)
    s"$subject: $detail ($fault in [$from, $until))"

  /** A text of another node as a part of an error. */
  def shorten(text: String): String =
    if text.length <= MostCharacters then text
    else s"${text.substring(0, MostCharacters)}... of ${text.length} characters"

package undercroft.actor
package testkit

/** Texts of the messages and exceptions of a test, whose own methods may throw. */
private[testkit] object ValueText:
  def of(value: Any): String = guarded(value)(s"$value")

  /** The message of an exception. */
  def ofMessage(cause: Throwable): String = guarded(cause)(s"${cause.getMessage}")

  private def guarded(value: Any)(text: => String): String =
    try text
    catch
      case thrown: Throwable =>
        s"${value.getClass.getName}, whose text cannot be read: ${thrown.getClass.getName}"

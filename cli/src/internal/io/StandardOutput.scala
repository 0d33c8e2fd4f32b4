package undercroft.cli
package internal.io

import java.io.{IOException, OutputStream}
import java.util.Locale

/** Standard output, which discards what follows once its reader has closed the pipe: `head` of a
  * shell has all that it needs then.
  */
private[cli] final class StandardOutput(target: OutputStream) extends OutputStream:
  private var isClosedByReader = false

  override def write(byte: Int): Unit = write(Array(byte.toByte), 0, 1)

  override def write(bytes: Array[Byte], from: Int, count: Int): Unit =
    unlessClosed(target.write(bytes, from, count))

  override def flush(): Unit = unlessClosed(target.flush())

  private def unlessClosed(operation: => Unit): Unit =
    if !isClosedByReader then
      try operation
      catch
        case closed: IOException if isClosedPipe(closed) => isClosedByReader = true

  /** By the system's text: "Broken pipe", "The pipe is being closed". */
  private def isClosedPipe(failure: IOException): Boolean =
    String.valueOf(failure.getMessage).toLowerCase(Locale.ROOT).nn.contains("pipe")
end StandardOutput

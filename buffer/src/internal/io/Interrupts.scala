package undercroft.buffer
package internal.io

import java.io.InterruptedIOException

/** Errors of calls that an interrupt has ended. */
private[buffer] object Interrupts:
  /** The error of a call of the current thread, which stays interrupted. */
  def whileWaiting(cause: Throwable): Throwable =
    InterruptedIOException("interrupted while waiting").initCause(cause)

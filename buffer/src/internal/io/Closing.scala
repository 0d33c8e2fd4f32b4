package undercroft.buffer
package internal.io

/** Closes an object of several parts. */
private[buffer] object Closing:
  /** Runs all steps in order. Throws the first error, with the later ones suppressed. */
  def all(steps: (() => Unit)*): Unit =
    var first: Throwable | Null = null
    for step <- steps do
      try step()
      catch
        case e: Throwable =>
          val cause = first
          if cause == null then first = e
          else if cause ne e then cause.addSuppressed(e)
    val error = first
    if error != null then throw error

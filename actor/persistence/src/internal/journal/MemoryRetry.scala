package undercroft.actor.persistence
package internal.journal

import java.util.concurrent.locks.LockSupport

/** Steps of a journal that must not be skipped while there is no memory: other actor systems, and
  * the program, may release some.
  */
private[persistence] object MemoryRetry:
  /** The number of attempts: several seconds. */
  private inline val Tries = 500

  /** Waits 10 ms, in which other threads may release memory. */
  def pause(): Unit = LockSupport.parkNanos(10_000_000L)

  /** Executes an idempotent step, again while there is no memory for it.
    *
    * @throws java.lang.OutOfMemoryError
    *   if there is none for some seconds
    */
  def run(step: () => Unit): Unit =
    var tries = 0
    while tries < Tries do
      try
        step()
        tries = Tries
      catch
        case full: OutOfMemoryError =>
          tries += 1
          if tries == Tries then throw full else pause()
end MemoryRetry

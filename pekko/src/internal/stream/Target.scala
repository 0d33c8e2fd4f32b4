package undercroft.pekko
package internal.stream

/** The destination of a stream's elements, for one materialization. Its calls never overlap, but
  * may come from different threads.
  */
private[pekko] trait Target[-A]:
  /** Stores an element; returns the number of its bytes or rows. */
  def write(element: A): Long

  /** Called once after the last element, if no error occurred. */
  def complete(): Unit

  /** Called once, last. */
  def close(): Unit

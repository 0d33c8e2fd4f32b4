package undercroft.pekko
package internal.wire

/** Reads one value. Thread-safe. */
private[pekko] trait WireReader[+T]:
  def read(in: WireInput): T

package undercroft.lab.bench

/** Processor work of a fixed length: a chain of shifts and exclusive ors (Marsaglia's xorshift64),
  * each of which waits for the previous one. The JIT cannot shorten it, as it does a chain of
  * multiplications by constants. Unlike a wait for a time, it takes longer if its thread is
  * descheduled.
  */
object Work:
  /** Steps of about one microsecond: six cycles each. */
  private final val StepsPerMicro = 500

  /** Works for about `nanos` nanoseconds on a processor of its own; returns the end of the chain,
    * which the JIT must compute if it is used. It is never 0 if `nanos` is positive.
    */
  def run(nanos: Int): Long =
    var value = nanos.toLong
    var steps = nanos.toLong * StepsPerMicro / 1000
    while steps > 0 do
      value ^= value << 13
      value ^= value >>> 7
      value ^= value << 17
      steps -= 1
    value
end Work

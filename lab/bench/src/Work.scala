package undercroft.lab.bench

/** Processor work of a fixed length: a chain of multiplications, each of which waits for the
  * previous one. Unlike a wait for a time, it takes longer if its thread is descheduled.
  */
object Work:
  /** Multiplications of about one microsecond: four cycles each. */
  private final val StepsPerMicro = 800

  /** Works for about `nanos` nanoseconds on a processor of its own; returns the end of the chain,
    * which the JIT must compute if it is used.
    */
  def run(nanos: Int): Long =
    var value = nanos.toLong
    var steps = nanos.toLong * StepsPerMicro / 1000
    while steps > 0 do
      value = value * 0x5851f42d4c957f2dL + 0x14057b7ef767814fL
      steps -= 1
    value
end Work

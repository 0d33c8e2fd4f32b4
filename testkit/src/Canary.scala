package undercroft.testkit

/** Shows, once in each JVM, that the counting sees one small object among a thousand calls. */
private[testkit] object Canary:

  private val calls = 1000
  private val rounds = 20

  /** Throws if the canary is not seen; else costs a field read. */
  def sing: Unit = seen

  private lazy val seen: Unit =
    val bird = Bird()
    val silent = Seq.fill(rounds)(Allocation.round(bird, calls)).min
    bird.sings = true
    val song = Allocation.round(bird, calls)
    if silent != 0 || song < 8 then
      throw IllegalStateException(
        s"this JVM does not count small objects: $song bytes with one, $silent bytes without"
      )

  /** A call that allocates one object if its flag is set. */
  private final class Bird extends Allocation.Call:
    var sings: Boolean = false
    def run(): Unit =
      if sings then
        sings = false
        consume(new Object)
      else consume(1L)
end Canary

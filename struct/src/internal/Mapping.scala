package undercroft.struct.internal

/** What generated code does about pages of a mapped file that go while they are read: when another
  * program makes the file shorter.
  *
  * HotSpot then skips the access, goes on with whatever was in the register, and throws an
  * InternalError a little later. To skip an instruction it has to know how long it is, and on
  * x86-64 it knows that of some only: the JVM ends where C2 made one instruction of a load and its
  * use that is not among them, as it does of an Int that becomes a Long (`movslq`), of a Byte that
  * is tested for bits, of a bit that is set in memory, and of vectors of bits. So whatever integer
  * comes from a file is added to a zero of which the compiler does not know that it is one. Then
  * the load has one use, an addition, which HotSpot can skip with or without vectors; and what is
  * narrower than an Int is made narrow again, whatever was in the register. A Float or a Double,
  * whose bits may be taken as an integer, is multiplied by a one of the same kind.
  *
  * In a loop over rows that are in a file by their type an Int is half of a word of 8 bytes
  * instead. C2 makes no shorter load of a word's half, so the word is loaded into a register, which
  * HotSpot can skip, and two Ints that lie side by side are one load.
  *
  * In memory the zero is 0 to the compiler too, and adds nothing: see [[Tables.guarded]].
  */
object Mapping:
  private var hidden = 1
  hidden = 0

  /** 0, which the compiler does not know. */
  def zero: Int = hidden

  /** Where an access before it failed, throws what the JVM has to throw for that. It is thrown when
    * a method returns: of a method that calls itself that deep, one call at least is really made.
    * Costs about that call.
    */
  def settle(): Unit =
    val _ = down(3)

  private def down(depth: Int): Int = if depth == 0 then hidden else down(depth - 1) + 1
end Mapping

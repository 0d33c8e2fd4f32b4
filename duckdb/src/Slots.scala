package undercroft.duckdb

import java.lang.foreign.{Arena, MemorySegment, ValueLayout}

/** Native memory for what calls answer, and for the description of an error. For one thread. */
private[duckdb] final class Slots(arena: Arena):
  private val memory: MemorySegment = arena.allocate(Slots.Bytes, 8).nn

  /** Where a call stores what it answers: a handle, a number, or a text of two words. */
  val out: Long = memory.address

  /** A second such place. */
  val more: Long = out + 16

  /** Where a call stores an error. */
  val error: Long = out + 32

  def word: Long = memory.get(ValueLayout.JAVA_LONG, 0)
  def int: Int = memory.get(ValueLayout.JAVA_INT, 0)
  def byte: Byte = memory.get(ValueLayout.JAVA_BYTE, 0)

  /** The word behind [[word]]: of a text, how many bytes it has. */
  def second: Long = memory.get(ValueLayout.JAVA_LONG, 8)
  def moreWord: Long = memory.get(ValueLayout.JAVA_LONG, 16)

  /** The address of a handle, for calls that destroy it. */
  def holding(handle: Long): Long =
    memory.set(ValueLayout.JAVA_LONG, 48, handle)
    out + 48

  def set(index: Int, value: Long): Unit = memory.set(ValueLayout.JAVA_LONG, 8L * index, value)

  /** Throws what a call failed with. */
  def check(code: Int): Unit =
    if code != 0 then
      val handle = memory.get(ValueLayout.JAVA_LONG, 32)
      val words =
        if handle == 0 then s"DuckDB's error $code"
        else
          Native.done(Native.errorInfoGetText.invokeExact(handle, out).asInstanceOf[Int])
          Text.at(word, second)
      if handle != 0 then
        Native.done(Native.errorInfoDestroy.invokeExact(error).asInstanceOf[Int])
      memory.set(ValueLayout.JAVA_LONG, 32, 0L)
      throw DuckDbException(words, code)

  /** The word that a call answered, or what it failed with. */
  def answer(code: Int): Long =
    check(code)
    word
end Slots

private[duckdb] object Slots:
  private inline val Bytes = 64L

  /** Runs with slots of its own. */
  def use[A](body: (Slots, Arena) => A): A =
    val arena = Arena.ofConfined.nn
    try body(Slots(arena), arena)
    finally arena.close()
end Slots

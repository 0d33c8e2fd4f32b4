package undercroft.duckdb
package internal.api

import scala.annotation.publicInBinary
import java.lang.foreign.{Arena, MemorySegment, ValueLayout}

/** Native memory for out-parameters and error slots. Confined to one thread. */
private[duckdb] final class OutParams(arena: Arena):
  private val memory: MemorySegment = arena.allocate(OutParams.Bytes, 8).nn

  /** Address of the out-parameter: a handle, an integer, or a string of two words. */
  val out: Long = memory.address

  /** Address of a second out-parameter. */
  val secondOut: Long = out + 16

  /** Address of the error slot. */
  val error: Long = out + 32

  def word: Long = memory.get(ValueLayout.JAVA_LONG, 0)
  def int: Int = memory.get(ValueLayout.JAVA_INT, 0)
  def byte: Byte = memory.get(ValueLayout.JAVA_BYTE, 0)

  /** The word after [[word]]: the length of a string in bytes. */
  def second: Long = memory.get(ValueLayout.JAVA_LONG, 8)
  def moreWord: Long = memory.get(ValueLayout.JAVA_LONG, 16)

  /** The last word of the view of a vector: the number of its values. */
  def viewCount: Long = memory.get(ValueLayout.JAVA_LONG, 24)

  /** Stores a handle and returns its address, for calls that destroy it. */
  def holding(handle: Long): Long =
    memory.set(ValueLayout.JAVA_LONG, 48, handle)
    out + 48

  def set(index: Int, value: Long): Unit = memory.set(ValueLayout.JAVA_LONG, 8L * index, value)

  /** Throws if a call failed. */
  def check(code: Int): Unit =
    if code != 0 then
      val handle = memory.get(ValueLayout.JAVA_LONG, 32)
      val words =
        if handle == 0 then s"DuckDB's error $code"
        else
          DuckDbApi.done(DuckDbApi.errorInfoGetText.invokeExact(handle, out).asInstanceOf[Int])
          CString.at(word, second)
      if handle != 0 then
        DuckDbApi.done(DuckDbApi.errorInfoDestroy.invokeExact(error).asInstanceOf[Int])
      memory.set(ValueLayout.JAVA_LONG, 32, 0L)
      throw DuckDbException(words, code)

  /** The out-parameter of a call; throws if the call failed. */
  def answer(code: Int): Long =
    check(code)
    word
end OutParams

@publicInBinary private[duckdb] object OutParams:
  private inline val Bytes = 64L

  /** Runs with new slots, which are freed afterwards. */
  def use[A](body: (OutParams, Arena) => A): A =
    val arena = Arena.ofConfined.nn
    try body(OutParams(arena), arena)
    finally arena.close()
end OutParams

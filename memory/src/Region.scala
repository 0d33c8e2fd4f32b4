package undercroft.memory

import java.lang.foreign.{Arena, MemorySegment}

/** Memory that is allocated by moving a pointer and freed all at once. */
final class Region private (arena: Arena) extends Allocator, AutoCloseable:
  def allocate(byteSize: Long, byteAlignment: Long): MemorySegment =
    arena.allocate(byteSize, byteAlignment)
  def block(byteSize: Long, byteAlignment: Long): Address = Address.Null
  def close(): Unit = arena.close()

object Region:
  def scoped[A](body: Region ?=> A): A =
    val region = Region(Arena.ofConfined().nn)
    try body(using region)
    finally region.close()
  def shared(): Region = Region(Arena.ofShared().nn)

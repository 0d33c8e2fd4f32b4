package undercroft.actor

import java.lang.foreign.MemorySegment
import undercroft.struct.*

enum Color derives CanEqual:
  case Red, Green

final case class Point(x: Int, y: Double) derives CanEqual

/** What the tests of messages in slots send. */
enum Told derives CanEqual:
  case Stop, Start
  case Token(id: Int, value: Int)
  case All(
      a: Boolean,
      b: Byte,
      c: Short,
      d: Char,
      e: Int,
      f: Long,
      g: Float,
      h: Double,
      color: Color,
      at: Point
  )
  case Words(text: String)

object Told:
  given Struct[Told] = new Struct[Told](Shape.Primitive(Kind.Int)):
    def loadAligned(segment: MemorySegment, offset: Long): Told = ???
    def loadPacked(segment: MemorySegment, offset: Long): Told = ???
    def loadColumns(segment: MemorySegment, capacity: Long, row: Long): Told = ???
    def storeAligned(segment: MemorySegment, offset: Long, value: Told): Unit = ???
    def storePacked(segment: MemorySegment, offset: Long, value: Told): Unit = ???
    def storeColumns(segment: MemorySegment, capacity: Long, row: Long, value: Told): Unit = ???

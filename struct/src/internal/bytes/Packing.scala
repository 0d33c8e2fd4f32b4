package undercroft.struct
package internal.bytes

import java.lang.foreign.MemorySegment
import undercroft.struct.Shape

/** Copies structs under the C ABI to structs without padding, as bytes: each field, and of cases
  * the fields of the stored one. No user code runs.
  */
private[struct] final class Packing(shape: Shape):
  private val size = shape.alignedSize
  private val packedSize = shape.packedSize
  private val moves = Packing.moves(shape, 0, 0)

  /** The structs without padding. Bytes that the stored case does not use are zero. */
  def packed(structs: Array[Byte]): Array[Byte] =
    val count = structs.length / size
    val result = new Array[Byte](count * packedSize)
    for i <- 0 until count do Packing.run(moves, structs, i * size, result, i * packedSize)
    result
end Packing

private[struct] object Packing:

  /** The copy of `size` bytes of a struct. If they are a tag, `cases` are the moves by case. */
  private final class Move(val from: Int, val to: Int, val size: Int, val cases: List[List[Move]])

  private def moves(shape: Shape, from: Int, to: Int): List[Move] = shape match
    case Shape.Primitive(Shape.Kind.Structs(of, count), _, _) =>
      List.range(0, count).flatMap: i =>
        moves(of, from + i * of.alignedSize, to + i * of.packedSize)
    case Shape.Primitive(kind, _, _) => List(new Move(from, to, kind.size, Nil))
    case Shape.Record(
          _,
          List(
            Shape.Field(CaseTag.name, tag, _, _, _),
            payload @ Shape.Field("", Shape.Union(_, members), _, _, _)
          )
        ) =>
      val start = payload.start(tag.alignedSize)
      val cases =
        members.map(member => moves(member.shape, from + start, to + tag.packedSize))
      List(new Move(from, to, tag.alignedSize, cases))
    case Shape.Record(_, fields) =>
      val ends = fields.scanLeft(0)((end, field) => field.start(end) + field.shape.alignedSize)
      val packedEnds = fields.scanLeft(0)((end, field) => end + field.shape.packedSize)
      fields.zip(ends.zip(packedEnds)).flatMap:
        case (field, (end, packedEnd)) =>
          moves(field.shape, from + field.start(end), to + packedEnd)
    case Shape.Union(_, members) => members.flatMap(member => moves(member.shape, from, to))

  /** Runs moves from the struct at `start` to the one at `at`. */
  private def run(
      moves: List[Move],
      source: Array[Byte],
      start: Int,
      target: Array[Byte],
      at: Int
  ): Unit =
    moves.foreach: move =>
      System.arraycopy(source, start + move.from, target, at + move.to, move.size)
      if move.cases.nonEmpty then
        val number = tag(source, start + move.from, move.size)
        run(move.cases(number), source, start, target, at)

  private def tag(bytes: Array[Byte], at: Int, size: Int): Int =
    val segment = MemorySegment.ofArray(bytes).nn
    size match
      case 1 => segment.get(ValueLayouts.byte, at) & 0xff
      case 2 => segment.get(ValueLayouts.char, at).toInt
      case _ => segment.get(ValueLayouts.int, at)
end Packing

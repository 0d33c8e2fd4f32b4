package undercroft.struct
package internal.bytes

import java.lang.foreign.MemorySegment
import undercroft.struct.{Shape, Table}

/** The significant bytes of a struct, as runs: all but padding, and of cases only the stored one.
  * Structs are compared and hashed by these bytes without being loaded.
  *
  * A struct in rows is identified by the offset of its first byte, with a `scale` of 1; a struct in
  * columns by its row number, with the capacity of each column in rows as `scale`.
  */
private[struct] final class StructBytes(shape: Shape, layout: Table.Kind):
  private val runs: Array[StructBytes.Run] = layout match
    case Table.Kind.Aligned => StructBytes.runs(shape, packed = false, 0)
    case Table.Kind.Packed  => StructBytes.runs(shape, packed = true, 0)
    case Table.Kind.Columnar =>
      StructBytes.runsOf(shape, packed = false)(leaf =>
        StructBytes.LeafPlace(leaf.column, leaf.kind.size, 0)
      )

  /** The size of a struct that is a single run from its start; 0 for any other struct. */
  private val whole: Int =
    val isOne = runs.length == 1 && runs(0).cases.isEmpty && !runs(0).isFar
    if isOne && layout != Table.Kind.Columnar && runs(0).place(0, 0) == 0 then runs(0).size else 0

  def same(a: MemorySegment, x: Long, b: MemorySegment, y: Long, scale: Long = 1): Boolean =
    if whole > 0 then StructBytes.difference(whole, a, x, b, y) < 0
    else StructBytes.same(runs, a, x, b, y, scale)

  /** Less than 0, 0 or more than 0, by the first differing field. */
  def compare(a: MemorySegment, x: Long, b: MemorySegment, y: Long, scale: Long = 1): Int =
    if whole == 0 then StructBytes.compare(runs, a, x, b, y, scale)
    else
      val at = StructBytes.difference(whole, a, x, b, y)
      if at < 0 then 0 else StructBytes.compareAt(runs(0), at.toInt, a, x, b, y)

  def hash(segment: MemorySegment, from: Long, scale: Long = 1): Int =
    val hash =
      if whole > 0 then WordHash.hash(segment, from, whole, WordHash.Seed)
      else StructBytes.hash(runs, segment, from, scale, WordHash.Seed)
    WordHash.folded(hash)
end StructBytes

private[struct] object StructBytes:

  /** The size in bytes from which on a run is compared by the JDK's vector instructions. */
  private inline val Many = 64

  /** The place of a leaf: in struct `n` it is at `column * scale + n * step + at`. */
  final case class LeafPlace(column: Int, step: Int, at: Int) derives CanEqual

  /** The runs of a struct in rows, shifted by `from` bytes. */
  private def runs(shape: Shape, packed: Boolean, from: Int): Array[Run] =
    runsOf(shape, packed): leaf =>
      LeafPlace(0, 1, from + (if packed then leaf.packed else leaf.aligned))

  /** The runs of a struct, in declaration order, by the places of its leaves. */
  private def runsOf(shape: Shape, packed: Boolean)(place: Shape.Leaf => LeafPlace): Array[Run] =
    val leaves = shape.leaves.map(leaf => leaf.path -> leaf).toMap

    def of(shape: Shape, path: List[String]): List[Run] = shape match
      case Shape.Primitive(kind, _, _) => ofKind(kind, packed, place(leaves(path)))
      case Shape.Record(
            _,
            List(
              Shape.Field(CaseTag.name, tag, _, _, _),
              Shape.Field("", Shape.Union(_, members), _, _, _)
            )
          ) =>
        val cases = members.map(member => joined(of(member.shape, path :+ member.name)))
        of(tag, path :+ CaseTag.name).map(_.before(cases.toArray))
      case Shape.Record(_, fields) =>
        fields.flatMap: field =>
          of(field.shape, if field.name.isEmpty then path else path :+ field.name)
      case Shape.Union(_, members) => members.flatMap(part => of(part.shape, path :+ part.name))

    joined(of(shape, Nil))
  end runsOf

  private def ofKind(kind: Shape.Kind, packed: Boolean, at: LeafPlace): List[Run] = kind match
    case Shape.Kind.Structs(of, count) =>
      val stride = if packed then of.packedSize else of.alignedSize
      List.range(0, count).flatMap: i =>
        runsOf(of, packed): leaf =>
          val start = if packed then leaf.packed else leaf.aligned
          at.copy(at = at.at + i * stride + start)
    case Shape.Kind.Elements(of, count) if of.isOutOfLine =>
      List.range(0, count).map(i => Run(at.copy(at = at.at + i * of.size), of))
    case _ => List(Run(at, kind))

  private def joined(runs: List[Run]): Array[Run] =
    runs
      .foldLeft(List.empty[Run]):
        case (last :: before, run) if run.follows(last) => run.after(last) :: before
        case (runs, run)                                => run :: runs
      .reverse
      .toArray

  /** Consecutive leaves, `size` bytes in total, and the offset of each. If `cases` is not empty,
    * the last leaf is a tag, and `cases` are the runs of each case. A reference to out-of-line
    * bytes is a separate run.
    */
  final class Run(
      private val first: LeafPlace,
      val size: Int,
      val starts: Array[Int],
      val kinds: Array[Shape.Kind],
      val cases: Array[Array[Run]]
  ):
    val isFar: Boolean = kinds.last.isOutOfLine
    private val column = first.column.toLong
    private val step = first.step.toLong
    private val at = first.at.toLong

    /** The place of the run in a struct. */
    def place(of: Long, scale: Long): Long = column * scale + of * step + at

    def before(cases: Array[Array[Run]]): Run = new Run(first, size, starts, kinds, cases)
    def follows(run: Run): Boolean =
      first == run.first.copy(at = run.first.at + run.size) && run.cases.isEmpty &&
        !run.isFar && !isFar
    def after(run: Run): Run =
      val offsets = run.starts ++ starts.map(_ + run.size)
      new Run(run.first, run.size + size, offsets, run.kinds ++ kinds, cases)
  end Run

  object Run:
    def apply(at: LeafPlace, kind: Shape.Kind): Run =
      new Run(at, kind.size, Array(0), Array(kind), Array.empty)

  private def same(
      runs: Array[Run],
      a: MemorySegment,
      x: Long,
      b: MemorySegment,
      y: Long,
      scale: Long
  ): Boolean =
    var i = 0
    while i < runs.length && sameRun(runs(i), a, x, b, y, scale) do i += 1
    i == runs.length

  private def sameRun(
      run: Run,
      a: MemorySegment,
      x: Long,
      b: MemorySegment,
      y: Long,
      scale: Long
  ): Boolean =
    val (p, q) = (run.place(x, scale), run.place(y, scale))
    if run.isFar then OutOfLine.contentEqualsAt(a, p, b, q)
    else
      difference(run.size, a, p, b, q) < 0 &&
      (run.cases.isEmpty || same(stored(run, a, p), a, x, b, y, scale))

  private def compare(
      runs: Array[Run],
      a: MemorySegment,
      x: Long,
      b: MemorySegment,
      y: Long,
      scale: Long
  ): Int =
    var result = 0
    var i = 0
    while i < runs.length && result == 0 do
      val run = runs(i)
      val (p, q) = (run.place(x, scale), run.place(y, scale))
      if run.isFar then result = OutOfLine.compareAt(a, p, b, q)
      else
        val at = difference(run.size, a, p, b, q)
        if at >= 0 then result = compareAt(run, at.toInt, a, p, b, q)
        else if run.cases.nonEmpty then
          result = compare(stored(run, a, p), a, x, b, y, scale)
      i += 1
    result
  end compare

  /** The runs of the stored case; none if no case has the tag's number. */
  private def stored(run: Run, segment: MemorySegment, place: Long): Array[Run] =
    val number = tag(run.kinds.last, segment, place + run.starts.last)
    if number >= 0 && number < run.cases.length then run.cases(number) else noRuns

  private val noRuns = Array.empty[Run]

  private def tag(kind: Shape.Kind, segment: MemorySegment, at: Long): Int = kind match
    case Shape.Kind.Byte  => segment.get(ValueLayouts.byte, at) & 0xff
    case Shape.Kind.Short => segment.get(ValueLayouts.short, at) & 0xffff
    case _                => segment.get(ValueLayouts.int, at)

  /** The offset of the first differing byte, or -1. */
  private def difference(size: Int, a: MemorySegment, p: Long, b: MemorySegment, q: Long): Long =
    // `mismatch` uses vector instructions: reading a truncated page of a file by them crashes the
    // JVM.
    if size >= Many && !a.isMapped && !b.isMapped then
      MemorySegment.mismatch(a, p, p + size, b, q, q + size)
    else
      var at = 0
      var bits = 0L
      while at + 8 <= size && bits == 0 do
        bits = a.get(ValueLayouts.long, p + at) ^ b.get(ValueLayouts.long, q + at)
        at += 8
      if bits != 0 then at - 8 + java.lang.Long.numberOfTrailingZeros(bits) / 8
      else
        while at < size && a.get(ValueLayouts.byte, p + at) == b.get(ValueLayouts.byte, q + at) do
          at += 1
        if at == size then -1 else at

  /** Compares the leaf that contains a differing byte. */
  private def compareAt(
      run: Run,
      at: Int,
      a: MemorySegment,
      p: Long,
      b: MemorySegment,
      q: Long
  ): Int =
    val position = java.util.Arrays.binarySearch(run.starts, at)
    val leaf = if position >= 0 then position else -position - 2
    val start = run.starts(leaf)
    if run.cases.nonEmpty && leaf == run.starts.length - 1 then
      Integer.compare(tag(run.kinds(leaf), a, p + start), tag(run.kinds(leaf), b, q + start))
    else compareLeaf(run.kinds(leaf), at - start, a, p + start, b, q + start)

  /** Compares two values of a kind; byte `at` is the first that differs. */
  private def compareLeaf(
      kind: Shape.Kind,
      at: Int,
      a: MemorySegment,
      p: Long,
      b: MemorySegment,
      q: Long
  ): Int = kind match
    case Shape.Kind.Elements(of, _) =>
      val start = at / of.size * of.size
      compareLeaf(of, at - start, a, p + start, b, q + start)
    case Shape.Kind.Text(_) | Shape.Kind.Union(_) =>
      java.lang.Byte.compareUnsigned(
        a.get(ValueLayouts.byte, p + at),
        b.get(ValueLayouts.byte, q + at)
      )
    case Shape.Kind.Ordinal(of) =>
      java.lang.Long.compare(unsigned(of.size, a, p), unsigned(of.size, b, q))
    case Shape.Kind.BigEndian(of) =>
      val shift = 64 - 8 * of.size
      compareBits(
        of,
        java.lang.Long.reverseBytes(unsigned(of.size, a, p)) >>> shift,
        java.lang.Long.reverseBytes(unsigned(of.size, b, q)) >>> shift
      )
    case other => compareBits(other, unsigned(other.size, a, p), unsigned(other.size, b, q))

  /** An unsigned integer of `size` bytes, from memory. */
  private def unsigned(size: Int, segment: MemorySegment, at: Long): Long = size match
    case 1 => segment.get(ValueLayouts.byte, at) & 0xffL
    case 2 => segment.get(ValueLayouts.char, at).toLong
    case 4 => segment.get(ValueLayouts.int, at) & 0xffffffffL
    case _ => segment.get(ValueLayouts.long, at)

  /** Compares two primitives by their bits. */
  private def compareBits(kind: Shape.Kind, a: Long, b: Long): Int = kind match
    case Shape.Kind.Boolean | Shape.Kind.Byte => java.lang.Byte.compare(a.toByte, b.toByte)
    case Shape.Kind.Short                     => java.lang.Short.compare(a.toShort, b.toShort)
    case Shape.Kind.Char                      => Character.compare(a.toChar, b.toChar)
    case Shape.Kind.Int                       => Integer.compare(a.toInt, b.toInt)
    case Shape.Kind.Float =>
      val order =
        java.lang.Float.compare(
          java.lang.Float.intBitsToFloat(a.toInt),
          java.lang.Float.intBitsToFloat(b.toInt)
        )
      if order != 0 then order else Integer.compare(a.toInt, b.toInt)
    case Shape.Kind.Double =>
      val order =
        java.lang.Double.compare(
          java.lang.Double.longBitsToDouble(a),
          java.lang.Double.longBitsToDouble(b)
        )
      if order != 0 then order else java.lang.Long.compare(a, b)
    case _ => java.lang.Long.compare(a, b)

  private def hash(
      runs: Array[Run],
      segment: MemorySegment,
      of: Long,
      scale: Long,
      seed: Long
  ): Long =
    var hash = seed
    var i = 0
    while i < runs.length do
      val run = runs(i)
      val place = run.place(of, scale)
      if run.isFar then hash = WordHash.step(hash, OutOfLine.hashAt(segment, place))
      else hash = WordHash.hash(segment, place, run.size, hash)
      if run.cases.nonEmpty then
        hash = this.hash(stored(run, segment, place), segment, of, scale, hash)
      i += 1
    hash
end StructBytes

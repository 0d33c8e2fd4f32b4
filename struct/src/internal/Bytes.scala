package undercroft.struct.internal

import java.lang.foreign.MemorySegment
import undercroft.struct.{Field, Kind, Leaf, Shape, Table}

/** The bytes of a struct that mean something, as runs: all but padding, and of cases only the one
  * that is stored. By them structs are compared and hashed without being loaded.
  *
  * A struct in rows is named by the offset of its first byte, and `scale` is 1; one in columns by
  * its number, and `scale` is the rows that each column has room for.
  */
private[struct] final class Bytes(shape: Shape, layout: Table.Kind):
  private val runs: Array[Bytes.Run] = layout match
    case Table.Kind.Aligned => Bytes.runs(shape, packed = false, 0)
    case Table.Kind.Packed  => Bytes.runs(shape, packed = true, 0)
    case Table.Kind.Columnar =>
      Bytes.runsOf(shape, packed = false)(leaf => Bytes.Place(leaf.column, leaf.kind.size, 0))

  /** The bytes of a struct that is one run from its beginning on; 0 of another. */
  private val whole: Int =
    val isOne = runs.length == 1 && runs(0).cases.isEmpty && !runs(0).isFar
    if isOne && layout != Table.Kind.Columnar && runs(0).place(0, 0) == 0 then runs(0).size else 0

  def same(a: MemorySegment, x: Long, b: MemorySegment, y: Long, scale: Long = 1): Boolean =
    if whole > 0 then Bytes.difference(whole, a, x, b, y) < 0
    else Bytes.same(runs, a, x, b, y, scale)

  /** Less than 0, 0 or more than 0, by the first field that differs. */
  def compare(a: MemorySegment, x: Long, b: MemorySegment, y: Long, scale: Long = 1): Int =
    if whole == 0 then Bytes.compare(runs, a, x, b, y, scale)
    else
      val at = Bytes.difference(whole, a, x, b, y)
      if at < 0 then 0 else Bytes.compareAt(runs(0), at.toInt, a, x, b, y)

  def hash(segment: MemorySegment, from: Long, scale: Long = 1): Int =
    val hash =
      if whole > 0 then Words.hash(segment, from, whole, Words.Seed)
      else Bytes.hash(runs, segment, from, scale, Words.Seed)
    Words.folded(hash)
end Bytes

private[struct] object Bytes:

  /** From this many bytes on, a run is compared by the JDK's vector instructions. */
  private inline val Many = 64

  /** Where a leaf of struct `n` is: `column * scale + n * step + at`. */
  final case class Place(column: Int, step: Int, at: Int) derives CanEqual

  /** The runs of a struct in rows, `from` bytes after where they are asked for. */
  private def runs(shape: Shape, packed: Boolean, from: Int): Array[Run] =
    runsOf(shape, packed): leaf =>
      Place(0, 1, from + (if packed then leaf.packed else leaf.aligned))

  /** The runs of a struct, in the order of declaration, by the places of its leaves. */
  private def runsOf(shape: Shape, packed: Boolean)(place: Leaf => Place): Array[Run] =
    val leaves = shape.leaves.map(leaf => leaf.path -> leaf).toMap

    def of(shape: Shape, path: List[String]): List[Run] = shape match
      case Shape.Primitive(kind, _) => ofKind(kind, packed, place(leaves(path)))
      case Shape.Record(
            _,
            List(Field(Cases.tag, tag, _, _), Field("", Shape.Union(_, members), _, _))
          ) =>
        val cases = members.map(member => joined(of(member.shape, path :+ member.name)))
        of(tag, path :+ Cases.tag).map(_.before(cases.toArray))
      case Shape.Record(_, fields) =>
        fields.flatMap: field =>
          of(field.shape, if field.name.isEmpty then path else path :+ field.name)
      case Shape.Union(_, members) => members.flatMap(one => of(one.shape, path :+ one.name))

    joined(of(shape, Nil))
  end runsOf

  private def ofKind(kind: Kind, packed: Boolean, at: Place): List[Run] = kind match
    case Kind.Structs(of, count) =>
      val stride = if packed then of.packedSize else of.alignedSize
      List.range(0, count).flatMap: i =>
        runsOf(of, packed): leaf =>
          val start = if packed then leaf.packed else leaf.aligned
          at.copy(at = at.at + i * stride + start)
    case Kind.Elements(of, count) if of.isFar =>
      List.range(0, count).map(i => Run(at.copy(at = at.at + i * of.size), of))
    case _ => List(Run(at, kind))

  private def joined(runs: List[Run]): Array[Run] =
    runs
      .foldLeft(List.empty[Run]):
        case (last :: before, run) if run.follows(last) => run.after(last) :: before
        case (all, run)                                 => run :: all
      .reverse
      .toArray

  /** Leaves one after the other, `size` bytes, and where each starts in them. Where `cases` has
    * any, the last leaf is a tag, and they are the runs of what it tells. What refers to bytes that
    * lie elsewhere is a run of its own.
    */
  final class Run(
      private val first: Place,
      val size: Int,
      val starts: Array[Int],
      val kinds: Array[Kind],
      val cases: Array[Array[Run]]
  ):
    val isFar: Boolean = kinds.last.isFar
    private val column = first.column.toLong
    private val step = first.step.toLong
    private val at = first.at.toLong

    /** Where the run of a struct starts. */
    def place(of: Long, scale: Long): Long = column * scale + of * step + at

    def before(cases: Array[Array[Run]]): Run = new Run(first, size, starts, kinds, cases)
    def follows(run: Run): Boolean =
      first == run.first.copy(at = run.first.at + run.size) && run.cases.isEmpty &&
        !run.isFar && !isFar
    def after(run: Run): Run =
      val all = run.starts ++ starts.map(_ + run.size)
      new Run(run.first, run.size + size, all, run.kinds ++ kinds, cases)
  end Run

  object Run:
    def apply(at: Place, kind: Kind): Run =
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
    if run.isFar then Far.sameAt(a, p, b, q)
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
      if run.isFar then result = Far.compareAt(a, p, b, q)
      else
        val at = difference(run.size, a, p, b, q)
        if at >= 0 then result = compareAt(run, at.toInt, a, p, b, q)
        else if run.cases.nonEmpty then
          result = compare(stored(run, a, p), a, x, b, y, scale)
      i += 1
    result
  end compare

  /** The runs of the case that is stored; none of a tag that no case has. */
  private def stored(run: Run, segment: MemorySegment, place: Long): Array[Run] =
    val number = tag(run.kinds.last, segment, place + run.starts.last)
    if number >= 0 && number < run.cases.length then run.cases(number) else none

  private val none = Array.empty[Run]

  private def tag(kind: Kind, segment: MemorySegment, at: Long): Int = kind match
    case Kind.Byte  => segment.get(Unaligned.byte, at) & 0xff
    case Kind.Short => segment.get(Unaligned.short, at) & 0xffff
    case _          => segment.get(Unaligned.int, at)

  /** Where the first byte is that differs, or -1. */
  private def difference(size: Int, a: MemorySegment, p: Long, b: MemorySegment, q: Long): Long =
    // In the vector instructions of `mismatch` a page of a file that is gone ends the JVM.
    if size >= Many && !a.isMapped && !b.isMapped then
      MemorySegment.mismatch(a, p, p + size, b, q, q + size)
    else
      var at = 0
      var bits = 0L
      while at + 8 <= size && bits == 0 do
        bits = a.get(Unaligned.long, p + at) ^ b.get(Unaligned.long, q + at)
        at += 8
      if bits != 0 then at - 8 + java.lang.Long.numberOfTrailingZeros(bits) / 8
      else
        while at < size && a.get(Unaligned.byte, p + at) == b.get(Unaligned.byte, q + at) do at += 1
        if at == size then -1 else at

  /** Compares the leaf that a byte which differs lies in. */
  private def compareAt(
      run: Run,
      at: Int,
      a: MemorySegment,
      p: Long,
      b: MemorySegment,
      q: Long
  ): Int =
    val found = java.util.Arrays.binarySearch(run.starts, at)
    val leaf = if found >= 0 then found else -found - 2
    val start = run.starts(leaf)
    if run.cases.nonEmpty && leaf == run.starts.length - 1 then
      Integer.compare(tag(run.kinds(leaf), a, p + start), tag(run.kinds(leaf), b, q + start))
    else compareLeaf(run.kinds(leaf), at - start, a, p + start, b, q + start)

  /** Compares two values of a kind, of which byte `at` is the first that differs. */
  private def compareLeaf(
      kind: Kind,
      at: Int,
      a: MemorySegment,
      p: Long,
      b: MemorySegment,
      q: Long
  ): Int = kind match
    case Kind.Elements(of, _) =>
      val start = at / of.size * of.size
      compareLeaf(of, at - start, a, p + start, b, q + start)
    case Kind.Text(_) | Kind.Union(_) =>
      java.lang.Byte.compareUnsigned(a.get(Unaligned.byte, p + at), b.get(Unaligned.byte, q + at))
    case Kind.Ordinal(of) =>
      java.lang.Long.compare(unsigned(of.size, a, p), unsigned(of.size, b, q))
    case Kind.BigEndian(of) =>
      val shift = 64 - 8 * of.size
      compareBits(
        of,
        java.lang.Long.reverseBytes(unsigned(of.size, a, p)) >>> shift,
        java.lang.Long.reverseBytes(unsigned(of.size, b, q)) >>> shift
      )
    case other => compareBits(other, unsigned(other.size, a, p), unsigned(other.size, b, q))

  /** The lowest bits of a word, from memory. */
  private def unsigned(size: Int, segment: MemorySegment, at: Long): Long = size match
    case 1 => segment.get(Unaligned.byte, at) & 0xffL
    case 2 => segment.get(Unaligned.char, at).toLong
    case 4 => segment.get(Unaligned.int, at) & 0xffffffffL
    case _ => segment.get(Unaligned.long, at)

  /** Compares two primitives by their bits. */
  private def compareBits(kind: Kind, a: Long, b: Long): Int = kind match
    case Kind.Boolean | Kind.Byte => java.lang.Byte.compare(a.toByte, b.toByte)
    case Kind.Short               => java.lang.Short.compare(a.toShort, b.toShort)
    case Kind.Char                => Character.compare(a.toChar, b.toChar)
    case Kind.Int                 => Integer.compare(a.toInt, b.toInt)
    case Kind.Float =>
      val order =
        java.lang.Float.compare(
          java.lang.Float.intBitsToFloat(a.toInt),
          java.lang.Float.intBitsToFloat(b.toInt)
        )
      if order != 0 then order else Integer.compare(a.toInt, b.toInt)
    case Kind.Double =>
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
      if run.isFar then hash = Words.step(hash, Far.hashAt(segment, place))
      else hash = Words.hash(segment, place, run.size, hash)
      if run.cases.nonEmpty then
        hash = this.hash(stored(run, segment, place), segment, of, scale, hash)
      i += 1
    hash
end Bytes

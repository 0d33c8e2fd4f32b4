package undercroft.struct.internal

import java.lang.foreign.MemorySegment
import java.lang.Long.rotateLeft
import undercroft.struct.{Field, Kind, Shape}

/** The bytes of a struct that mean something, as runs: all but padding, and of cases only the one
  * that is stored. By them structs are compared and hashed without being loaded.
  */
private[struct] final class Bytes(shape: Shape, packed: Boolean):
  private val runs: Array[Bytes.Run] = Bytes.joined(runsOf(shape, 0))

  def same(a: MemorySegment, from: Long, b: MemorySegment, to: Long): Boolean =
    Bytes.same(runs, a, from, b, to)

  /** Less than 0, 0 or more than 0, by the first field that differs. */
  def compare(a: MemorySegment, from: Long, b: MemorySegment, to: Long): Int =
    Bytes.compare(runs, a, from, b, to)

  def hash(segment: MemorySegment, from: Long): Int =
    val hash = Bytes.hash(runs, segment, from, Bytes.Seed)
    (hash ^ (hash >>> 32)).toInt

  /** The runs of a shape at an offset, in the order of declaration. */
  private def runsOf(shape: Shape, at: Int): List[Bytes.Run] = shape match
    case Shape.Primitive(kind) => List(Bytes.Run(at, kind, Array.empty))
    case Shape.Record(
          _,
          List(Field(Cases.tag, tag, _, _), payload @ Field("", Shape.Union(_, members), _, _))
        ) =>
      val inside = at + start(tag.alignedSize, payload)
      val cases = members.map(member => Bytes.joined(runsOf(member.shape, inside)))
      runsOf(tag, at).map(_.before(cases.toArray))
    case Shape.Record(_, fields) =>
      fields
        .foldLeft((0, List.empty[Bytes.Run])):
          case ((end, runs), field) =>
            val from = start(end, field)
            val size = if packed then field.shape.packedSize else field.shape.alignedSize
            (from + size, runs ++ runsOf(field.shape, at + from))
        ._2
    case Shape.Union(_, members) => members.flatMap(member => runsOf(member.shape, at))

  private def start(end: Int, field: Field): Int = if packed then end else field.start(end)
end Bytes

private[struct] object Bytes:

  /** From this many bytes on, a run is compared by the JDK's vector instructions. */
  private inline val Many = 64

  private inline val Seed = 0x9e3779b97f4a7c15L
  private inline val Factor = 0xff51afd7ed558ccdL // of MurmurHash3's last step (A. Appleby)

  /** Leaves one after the other, `[from, until)`. Where `cases` has any, the last leaf is a tag,
    * and they are the runs of what it tells.
    */
  final class Run(
      val from: Int,
      val until: Int,
      val starts: Array[Int],
      val kinds: Array[Kind],
      val cases: Array[Array[Run]]
  ):
    def before(cases: Array[Array[Run]]): Run = new Run(from, until, starts, kinds, cases)
    def follows(run: Run): Boolean = run.until == from && run.cases.isEmpty
    def after(run: Run): Run =
      new Run(run.from, until, run.starts ++ starts, run.kinds ++ kinds, cases)

  object Run:
    def apply(at: Int, kind: Kind, cases: Array[Array[Run]]): Run =
      new Run(at, at + kind.size, Array(at), Array(kind), cases)

  private def joined(runs: List[Run]): Array[Run] =
    runs
      .foldLeft(List.empty[Run]):
        case (last :: before, run) if run.follows(last) => run.after(last) :: before
        case (all, run)                                 => run :: all
      .reverse
      .toArray

  private def same(
      runs: Array[Run],
      a: MemorySegment,
      x: Long,
      b: MemorySegment,
      y: Long
  ): Boolean =
    var i = 0
    while i < runs.length && sameRun(runs(i), a, x, b, y) do i += 1
    i == runs.length

  private def sameRun(run: Run, a: MemorySegment, x: Long, b: MemorySegment, y: Long): Boolean =
    difference(run, a, x, b, y) < 0 &&
      (run.cases.isEmpty || same(stored(run, a, x), a, x, b, y))

  private def compare(runs: Array[Run], a: MemorySegment, x: Long, b: MemorySegment, y: Long): Int =
    var result = 0
    var i = 0
    while i < runs.length && result == 0 do
      val run = runs(i)
      val at = difference(run, a, x, b, y)
      if at >= 0 then result = compareAt(run, at, a, x, b, y)
      else if run.cases.nonEmpty then result = compare(stored(run, a, x), a, x, b, y)
      i += 1
    result

  /** The runs of the case that is stored; none of a tag that no case has. */
  private def stored(run: Run, segment: MemorySegment, base: Long): Array[Run] =
    val number = tag(run.kinds.last, segment, base + run.starts.last)
    if number >= 0 && number < run.cases.length then run.cases(number) else none

  private val none = Array.empty[Run]

  private def tag(kind: Kind, segment: MemorySegment, at: Long): Int = kind match
    case Kind.Byte  => segment.get(Unaligned.byte, at) & 0xff
    case Kind.Short => segment.get(Unaligned.short, at) & 0xffff
    case _          => segment.get(Unaligned.int, at)

  /** Where the first byte of a run is that differs, or -1. */
  private def difference(run: Run, a: MemorySegment, x: Long, b: MemorySegment, y: Long): Long =
    if run.until - run.from >= Many then
      val found =
        MemorySegment.mismatch(a, x + run.from, x + run.until, b, y + run.from, y + run.until)
      if found < 0 then found else run.from + found
    else
      var at = run.from
      var bits = 0L
      while at + 8 <= run.until && bits == 0 do
        bits = a.get(Unaligned.long, x + at) ^ b.get(Unaligned.long, y + at)
        at += 8
      if bits != 0 then at - 8 + java.lang.Long.numberOfTrailingZeros(bits) / 8
      else
        while at < run.until && a.get(Unaligned.byte, x + at) == b.get(Unaligned.byte, y + at) do
          at += 1
        if at == run.until then -1 else at

  /** Compares the leaf that a byte which differs lies in. */
  private def compareAt(
      run: Run,
      at: Long,
      a: MemorySegment,
      x: Long,
      b: MemorySegment,
      y: Long
  ): Int =
    val found = java.util.Arrays.binarySearch(run.starts, at.toInt)
    val leaf = if found >= 0 then found else -found - 2
    val start = run.starts(leaf)
    if run.cases.nonEmpty && leaf == run.starts.length - 1 then
      Integer.compare(tag(run.kinds(leaf), a, x + start), tag(run.kinds(leaf), b, y + start))
    else compareLeaf(run.kinds(leaf), start, at.toInt, a, x, b, y)

  private def compareLeaf(
      kind: Kind,
      start: Int,
      at: Int,
      a: MemorySegment,
      x: Long,
      b: MemorySegment,
      y: Long
  ): Int =
    val (p, q) = (x + start, y + start)
    kind match
      case Kind.Boolean | Kind.Byte =>
        java.lang.Byte.compare(a.get(Unaligned.byte, p), b.get(Unaligned.byte, q))
      case Kind.Short =>
        java.lang.Short.compare(a.get(Unaligned.short, p), b.get(Unaligned.short, q))
      case Kind.Char =>
        Character.compare(a.get(Unaligned.char, p), b.get(Unaligned.char, q))
      case Kind.Int => Integer.compare(a.get(Unaligned.int, p), b.get(Unaligned.int, q))
      case Kind.Long =>
        java.lang.Long.compare(a.get(Unaligned.long, p), b.get(Unaligned.long, q))
      case Kind.Float =>
        val order = java.lang.Float.compare(a.get(Unaligned.float, p), b.get(Unaligned.float, q))
        if order != 0 then order
        else Integer.compare(a.get(Unaligned.int, p), b.get(Unaligned.int, q))
      case Kind.Double =>
        val order =
          java.lang.Double.compare(a.get(Unaligned.double, p), b.get(Unaligned.double, q))
        if order != 0 then order
        else java.lang.Long.compare(a.get(Unaligned.long, p), b.get(Unaligned.long, q))
      case Kind.Text(_) =>
        java.lang.Byte.compareUnsigned(a.get(Unaligned.byte, x + at), b.get(Unaligned.byte, y + at))
      case Kind.Elements(of, _) =>
        compareLeaf(of, start + (at - start) / of.size * of.size, at, a, x, b, y)
    end match
  end compareLeaf

  private def hash(runs: Array[Run], segment: MemorySegment, base: Long, seed: Long): Long =
    var hash = seed
    var i = 0
    while i < runs.length do
      val run = runs(i)
      hash = hashRun(segment, base + run.from, run.until - run.from, hash)
      if run.cases.nonEmpty then hash = this.hash(stored(run, segment, base), segment, base, hash)
      i += 1
    hash

  /** Four lanes of multiplications, which do not wait for each other, then what is left. */
  private def hashRun(segment: MemorySegment, base: Long, bytes: Int, seed: Long): Long =
    var hash = seed
    var at = 0
    if bytes >= 32 then
      var (a, b, c, d) = (seed, ~seed, rotateLeft(seed, 21), rotateLeft(~seed, 42))
      while at + 32 <= bytes do
        a = step(a, segment.get(Unaligned.long, base + at))
        b = step(b, segment.get(Unaligned.long, base + at + 8))
        c = step(c, segment.get(Unaligned.long, base + at + 16))
        d = step(d, segment.get(Unaligned.long, base + at + 24))
        at += 32
      hash = step(step(step(a, b), c), d)
    while at + 8 <= bytes do
      hash = step(hash, segment.get(Unaligned.long, base + at))
      at += 8
    if at + 4 <= bytes then
      hash = step(hash, segment.get(Unaligned.int, base + at) & 0xffffffffL)
      at += 4
    while at < bytes do
      hash = step(hash, segment.get(Unaligned.byte, base + at) & 0xffL)
      at += 1
    hash
  end hashRun

  private def step(hash: Long, word: Long): Long = rotateLeft((hash ^ word) * Factor, 31)
end Bytes

package undercroft.file

import java.nio.file.Path
import undercroft.file.format.internal.codec.Compression

/** The level of `compressFile` if none is given: Zstandard's own default. */
final val DefaultCompressionLevel = 3

/** Copies a sealed struct file to a new compressed one: each column of each block of rows, up to 1
  * MiB of them, is compressed on its own, so that readers decompress only the columns they need.
  *
  * The target appears complete or not at all; an existing file is an error, as are a full disk and
  * a source that is not sealed or differs from its checksums. The source is unchanged, and may be
  * deleted afterwards. Needs memory for one block. A codec is a service on the class path, a
  * [[undercroft.file.format.BlockCodec]]; `undercroft-compression` provides `zstd`, with the levels
  * 1 to 22.
  *
  * {{{
  * import java.nio.file.Files
  * import undercroft.struct.*
  * val folder = Files.createTempDirectory("shop")
  * val (day, packed) = (folder.resolve("day.bills"), folder.resolve("day.zst"))
  * val bills = Columns.create[Bill](day, maxRows = 1000)
  * bills.appendAll(List(Bill(1, 250), Bill(2, 251)))
  * bills.seal()
  * compressFile(day, packed)
  * println(Columns.openReadOnly[Bill](packed).sumOf(_.price)) // 501
  * }}}
  */
def compressFile(
    source: Path,
    target: Path,
    codec: String = "zstd",
    level: Int = DefaultCompressionLevel
): Unit = Compression.compress(source, target, codec, level)

/** Copies a compressed file to a new sealed one, with the bytes that the sealed file had which was
  * compressed. The target appears complete or not at all; an existing file is an error.
  *
  * {{{
  * import java.nio.file.Files
  * import undercroft.struct.*
  * val folder = Files.createTempDirectory("shop")
  * val List(day, packed, copy) = List("day", "day.zst", "copy").map(folder.resolve(_)): @unchecked
  * val bills = Columns.create[Bill](day, maxRows = 1000)
  * bills.appendAll(List(Bill(1, 250), Bill(2, 251)))
  * bills.seal()
  * compressFile(day, packed)
  * decompressFile(packed, copy)
  * println(Files.mismatch(day, copy)) // -1
  * }}}
  */
def decompressFile(source: Path, target: Path): Unit = Compression.decompress(source, target)

package undercroft.lab.bench

import java.lang.foreign.*
import java.lang.invoke.MethodHandle
import java.nio.file.{Files, Path}
import undercroft.thrift.NativeBytes

/** The reader and writer in C++ of `lab/thrift`, in this process. Confined to one thread at a time.
  */
final class CatalogLibrary private (library: Path):
  private val lookup = SymbolLookup.libraryLookup(library, Arena.global)
  private val int = ValueLayout.JAVA_INT
  private val long = ValueLayout.JAVA_LONG
  private val pointer = ValueLayout.ADDRESS

  private def function(name: String, descriptor: FunctionDescriptor): MethodHandle =
    Linker.nativeLinker.downcallHandle(lookup.findOrThrow(name), descriptor)

  private val decodeHandle =
    function("catalog_decode", FunctionDescriptor.of(int, pointer, long, pointer, pointer))
  private val foldHandle =
    function("catalog_fold_rows", FunctionDescriptor.of(int, pointer, long, pointer))
  private val encodeHandle = function(
    "catalog_encode",
    FunctionDescriptor.of(int, long, long, pointer, pointer, pointer, pointer)
  )
  private val freeHandle = function("catalog_free", FunctionDescriptor.ofVoid(pointer))
  private val freedHandle = function("catalog_freed", FunctionDescriptor.of(long))

  private val summary = Arena.global.allocate(24, 8)
  private val error = Arena.global.allocate(256, 1)
  private val slot = Arena.global.allocate(16, 8)

  private def answered(code: Int): Summary =
    if code != 0 then throw IllegalStateException(s"C++ answered: ${error.getString(0)}")
    Summary(summary.get(long, 0), summary.get(long, 8), summary.get(long, 16))

  /** Reads a contiguous catalog in C++, which receives only a pointer and a length. */
  def decode(bytes: MemorySegment): Summary =
    slot.set(pointer, 0, bytes)
    slot.set(long, 8, bytes.byteSize)
    decode(slot, 1)

  /** Reads in C++ a catalog in the pieces of an array of C's `struct iovec`. */
  def decode(iovecs: MemorySegment, pieces: Long): Summary =
    val _ = summary.fill(0)
    answered(decodeHandle.invokeExact(iovecs, pieces, summary, error).asInstanceOf[Int])

  /** Reads rows of files in C++ as an array of structs. */
  def fold(rows: MemorySegment, count: Long): Summary =
    val _ = summary.fill(0)
    answered(foldHandle.invokeExact(rows, count, summary).asInstanceOf[Int])

  /** A catalog that C++ wrote, in its own memory until it is closed, and its summary. */
  def encode(partitions: Long, files: Long): (NativeBytes, Summary) =
    val _ = summary.fill(0)
    val at = slot.asSlice(0, 8)
    val size = slot.asSlice(8, 8)
    val total = answered(encoded(partitions, files, at, size))
    val count = size.get(long, 0)
    val bytes = NativeBytes(at.get(pointer, 0).reinterpret(count), count)(free)
    (bytes, total)

  // A method for the call: Scala compiles an exact invocation only if its cast follows directly.
  private def encoded(partitions: Long, files: Long, at: MemorySegment, size: MemorySegment): Int =
    encodeHandle.invokeExact(partitions, files, at, size, summary, error).asInstanceOf[Int]

  private def free(address: MemorySegment): Unit =
    freeHandle.invokeExact(address).asInstanceOf[Unit]

  /** How often the free function of C++ was called. */
  def freed: Long = freedHandle.invokeExact().asInstanceOf[Long]
end CatalogLibrary

object CatalogLibrary:
  /** The path of the library; absent if it could not be built. */
  private def path: Option[Path] =
    Option(System.getenv("UNDERCROFT_LAB_CATALOG"))
      .map(Path.of(_, "libcatalog.so").nn)
      .filter(Files.exists(_))

  lazy val library: Option[CatalogLibrary] = path.map(new CatalogLibrary(_))

  /** The reason why a catalog cannot cross here. */
  def lack: Option[String] = Option.when(path.isEmpty):
    "no thrift-compiler, libthrift-dev, libboost-dev or g++: the catalog that crosses to C++ is skipped"
end CatalogLibrary

/** The result of reading a catalog. */
final case class Summary(files: Long, blocks: Long, sum: Long) derives CanEqual

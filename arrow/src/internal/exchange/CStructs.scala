package undercroft.arrow
package internal.exchange

import java.lang.foreign.{MemorySegment, ValueLayout}

/** The structs of Arrow's C data interface and C stream interface on machines with 64-bit pointers:
  * the offsets of their members in bytes, and access to memory by address.
  *
  * ```text
  * ArrowSchema (72)              ArrowArray (80)              ArrowArrayStream (40)
  *  0 format      char*           0 length       int64         0 get_schema      function
  *  8 name        char*           8 null_count   int64         8 get_next        function
  * 16 metadata    char*          16 offset       int64        16 get_last_error  function
  * 24 flags       int64          24 n_buffers    int64        24 release         function
  * 32 n_children  int64          32 n_children   int64        32 private_data    void*
  * 40 children    schema**       40 buffers      void**
  * 48 dictionary  schema*        48 children     array**
  * 56 release     function       56 dictionary   array*
  * 64 private_data void*         64 release      function
  *                               72 private_data void*
  * ```
  *
  * The specification: https://arrow.apache.org/docs/format/CDataInterface.html
  */
private[arrow] object CStructs:
  /** The whole address space. Lazy, so that a lack of native access is thrown as such. */
  private lazy val memory = MemorySegment.NULL.nn.reinterpret(Long.MaxValue).nn

  object Schema:
    inline val Bytes = 72L
    inline val Format = 0L
    inline val Name = 8L
    inline val Metadata = 16L
    inline val Flags = 24L
    inline val Children = 32L
    inline val Dictionary = 48L
    inline val Release = 56L
    inline val PrivateData = 64L

    inline val DictionaryOrdered = 1L
    inline val Nullable = 2L

  object Array:
    inline val Bytes = 80L
    inline val Length = 0L
    inline val NullCount = 8L
    inline val Offset = 16L
    inline val BufferCount = 24L
    inline val Children = 32L
    inline val Buffers = 40L
    inline val ChildPointers = 48L
    inline val Dictionary = 56L
    inline val Release = 64L
    inline val PrivateData = 72L

  object Stream:
    inline val Bytes = 40L
    inline val GetSchema = 0L
    inline val GetNext = 8L
    inline val GetLastError = 16L
    inline val Release = 24L
    inline val PrivateData = 32L

  def long(address: Long): Long = memory.get(ValueLayout.JAVA_LONG_UNALIGNED, address)
  def int(address: Long): Int = memory.get(ValueLayout.JAVA_INT_UNALIGNED, address)
  def byte(address: Long): Byte = memory.get(ValueLayout.JAVA_BYTE, address)

  /** Whether bit `index` of a bitmap is set. */
  def isSet(bitmap: Long, index: Long): Boolean =
    (byte(bitmap + (index >> 3)) >> (index & 7).toInt & 1) != 0

  def setLong(address: Long, value: Long): Unit =
    memory.set(ValueLayout.JAVA_LONG_UNALIGNED, address, value)

  /** `count` bytes at an address that the other side promises. */
  def bytes(address: Long, count: Long): MemorySegment = memory.asSlice(address, count).nn

  /** A string of C, unless it is null or longer than `mostBytes`. */
  def text(address: Long, mostBytes: Int): Option[String] =
    if address == 0 then None
    else
      var count = 0
      while count <= mostBytes && byte(address + count) != 0 do count += 1
      Option.when(count <= mostBytes):
        val content = bytes(address, count).toArray(ValueLayout.JAVA_BYTE).nn
        String(content, java.nio.charset.StandardCharsets.UTF_8)

  /** Throws an IllegalCallerException if the application has no native access. */
  def checkAccess(): Unit = memory: Unit

  /** The address of a struct of C that the caller has: not null, and aligned. */
  def checkedAddress(pointer: MemorySegment, bytes: Long, name: String): Long =
    checkAccess()
    if !pointer.isNative || pointer.address == 0 || pointer.address % 8 != 0 then
      throw IllegalArgumentException(
        s"$name must be at an address of native memory that is a multiple of 8, but is at " +
          (if pointer.isNative then pointer.address.toString else "a Java array")
      )
    if pointer.byteSize != 0 && pointer.byteSize < bytes then
      throw IllegalArgumentException(s"$name has $bytes bytes, but ${pointer.byteSize} are given")
    pointer.address
end CStructs

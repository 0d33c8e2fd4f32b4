package undercroft.thrift

import java.lang.foreign.{Arena, MemorySegment}

/** Bytes that native code allocated and owns. They are read in place until `close`, which returns
  * them to native code exactly once.
  *
  * Reading is thread-safe. `close` does not wait for readers: if another thread reads the bytes at
  * that moment, FFM rejects the close, nothing changes, and it can be repeated. After the close
  * every read throws FFM's IllegalStateException. The garbage collector does not release the bytes:
  * without a close they leak.
  */
final class NativeBytes private (arena: Arena, address: MemorySegment, bytes: Long)(
    release: MemorySegment => Unit
) extends AutoCloseable:
  private var open = true

  /** All bytes, as a read-only segment. */
  val segment: MemorySegment = address.reinterpret(bytes, arena, null).asReadOnly

  /** Releases the bytes. Idempotent. */
  def close(): Unit = synchronized:
    if open then
      arena.close()
      open = false
      release(address)

object NativeBytes:
  /** Takes ownership of the result of a native call.
    *
    * A native call returns a segment of length zero, because FFM does not know its length. A caller
    * that knows it states it by `address.reinterpret(bytes)`, a restricted method of FFM.
    *
    * {{{
    * import java.lang.foreign.{Arena, MemorySegment}
    * import java.lang.foreign.ValueLayout.JAVA_BYTE
    * val message: MemorySegment = Arena.global.allocateFrom("abc") // as if C code returned it
    * val bytes = NativeBytes(message, 3)(address => println(s"freed ${address.byteSize} bytes"))
    * println(bytes.segment.get(JAVA_BYTE, 0).toChar) // a
    * bytes.close() // prints: freed 4 bytes
    * }}}
    *
    * @param address
    *   the start of the bytes: a native segment of at least `bytes` bytes in the global scope
    * @param release
    *   frees the bytes, for example with C's `free`; called with the address
    */
  def apply(address: MemorySegment, bytes: Long)(release: MemorySegment => Unit): NativeBytes =
    if bytes < 0 then
      throw IllegalArgumentException(s"bytes must be at least 0, but is $bytes")
    if !address.isNative then
      throw IllegalArgumentException(s"the $bytes bytes are on the heap, not in native memory")
    if address.address == 0 && bytes > 0 then
      throw IllegalArgumentException(s"the address of $bytes bytes is 0")
    if bytes > address.byteSize then
      throw IllegalArgumentException(
        s"$bytes bytes exceed the segment of ${address.byteSize} bytes at ${address.address}: " +
          s"pass address.reinterpret($bytes)"
      )
    // Memory of another arena or of a ByteBuffer could be freed before the bytes are closed.
    if !address.scope.equals(Arena.global.scope) then
      throw IllegalArgumentException(
        s"the segment of $bytes bytes at ${address.address} is not in the global scope"
      )
    new NativeBytes(Arena.ofShared(), address, bytes)(release)
end NativeBytes

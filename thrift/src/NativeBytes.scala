package undercroft.thrift

import java.lang.foreign.{Arena, MemorySegment}

/** Bytes that native code made and owns, read in place until they are closed, which gives them back
  * to it, once.
  *
  * Any thread may read them. The close waits for none: where another thread reads them at that
  * moment FFM refuses it, nothing changes, and it can be tried again. After it every read is FFM's
  * IllegalStateException. One that is dropped is released by the garbage collector only if it was
  * made for that; this one stays: close it.
  */
final class NativeBytes private (arena: Arena, address: MemorySegment, bytes: Long)(
    release: MemorySegment => Unit
) extends AutoCloseable:
  private var open = true

  /** All of them, read only. */
  val segment: MemorySegment = address.reinterpret(bytes, arena, null).asReadOnly

  /** Calls what releases them. A second close does nothing. */
  def close(): Unit = synchronized:
    if open then
      arena.close()
      open = false
      release(address)

object NativeBytes:
  /** Takes over what a native call answered.
    *
    * A call answers a pointer to no bytes, because it does not know how many there are. Who does
    * says it by `address.reinterpret(bytes)`, and answers for it: FFM calls that restricted.
    *
    * @param address
    *   where the bytes begin, a segment of at least as many that no arena closes
    * @param release
    *   gives them back: native code's own free, called with the address
    */
  def apply(address: MemorySegment, bytes: Long)(release: MemorySegment => Unit): NativeBytes =
    if bytes < 0 then throw IllegalArgumentException(s"native memory of $bytes bytes")
    if !address.isNative then throw IllegalArgumentException(s"$bytes bytes on the heap")
    if address.address == 0 && bytes > 0 then
      throw IllegalArgumentException(s"$bytes bytes at no address")
    if bytes > address.byteSize then
      throw IllegalArgumentException(
        s"$bytes bytes at ${address.address}, a segment of ${address.byteSize} bytes: " +
          s"address.reinterpret($bytes) makes it longer"
      )
    // Of an arena, or kept by a ByteBuffer: these could end before the bytes are closed.
    if !address.scope.equals(Arena.global.scope) then
      throw IllegalArgumentException(
        s"$bytes bytes at ${address.address}, a segment that others can close"
      )
    new NativeBytes(Arena.ofShared(), address, bytes)(release)
end NativeBytes

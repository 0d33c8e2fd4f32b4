package undercroft.buffer.fs2streams

import fs2.Chunk
import undercroft.buffer.ByteString

extension (bytes: ByteString)
  /** The same bytes as a chunk of FS2, which shares their array and cannot change it. Thread-safe.
    * A snapshot of a buffer of 64 KiB or more is copied once, because its segments return to their
    * pool.
    *
    * {{{
    * import undercroft.buffer.ByteString
    * println(ByteString.utf8("price").toChunk.size) // 5
    * }}}
    */
  def toChunk: Chunk[Byte] = Chunk.byteBuffer(bytes.asByteBuffer)

extension (chunk: Chunk[Byte])
  /** The same bytes as a byte string, copied: the array of a chunk may be changed elsewhere.
    *
    * {{{
    * import fs2.Chunk
    * println(Chunk[Byte](1, 2).toByteString.hex) // 0102
    * }}}
    */
  def toByteString: ByteString = ByteString.of(chunk.toByteBuffer)

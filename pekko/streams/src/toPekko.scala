package undercroft.pekko.streams

import org.apache.pekko.util.ByteString as PekkoByteString
import undercroft.buffer.ByteString

extension (bytes: ByteString)
  /** The same bytes as a byte string of Pekko, which shares their array. Thread-safe. A snapshot of
    * a buffer of 64 KiB or more is copied, because its segments return to their pool.
    *
    * {{{
    * import undercroft.buffer.ByteString
    * println(ByteString.utf8("price").toPekko.utf8String) // price
    * }}}
    */
  def toPekko: PekkoByteString = PekkoByteString.fromArrayUnsafe(bytes.array)

extension (bytes: PekkoByteString)
  /** The same bytes as a byte string of `undercroft-buffer`, which shares their array. Thread-safe.
    * A part of a longer byte string, or a concatenation, is copied once.
    *
    * {{{
    * import org.apache.pekko.util.ByteString
    * println(ByteString("price").toUndercroft.hex) // 7072696365
    * }}}
    */
  def toUndercroft: ByteString = ByteString.wrap(bytes.toArrayUnsafe())

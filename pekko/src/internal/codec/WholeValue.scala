package undercroft.pekko
package internal.codec

import internal.wire.*

/** A message that is one value. */
private[pekko] final class WholeValue[T](codec: ValueCodec[T]) extends MessageContent[T]:
  def wireType: WireType = codec.wireType
  def writeContent(value: T, out: WireOutput): Unit = codec.write(value, out)
  def readContent(in: WireInput): T = codec.read(in)
  def contentReaderOf(written: WireType, path: FieldPath): WireReader[T] =
    codec.readerOf(written, path)

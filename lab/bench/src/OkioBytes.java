package undercroft.lab.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.function.LongUnaryOperator;
import okio.Buffer;

/** A byte written and read, `n` times: a segment is taken from Okio's pool and recycled. */
public final class OkioBytes implements LongUnaryOperator {
  @Override
  public long applyAsLong(long count) {
    Buffer buffer = new Buffer();
    long read = 0;
    try {
      for (long i = 0; i < count; i++) {
        buffer.writeByte(1);
        read += buffer.readByte();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return read;
  }
}

package undercroft.compression;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.apache.commons.compress.compressors.lz4.FramedLZ4CompressorInputStream;
import org.apache.commons.compress.compressors.lz4.FramedLZ4CompressorOutputStream;
import undercroft.arrow.ArrowCodec;

/** LZ4 frames of Arrow files, in Java without Unsafe and without native code. */
public final class Lz4Codec implements ArrowCodec {

  @Override
  public String name() {
    return "LZ4_FRAME";
  }

  @Override
  public InputStream decompress(InputStream compressed) throws IOException {
    return new FramedLZ4CompressorInputStream(compressed, true);
  }

  @Override
  public OutputStream compress(OutputStream target) throws IOException {
    return new FramedLZ4CompressorOutputStream(target);
  }
}

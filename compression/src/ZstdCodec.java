package undercroft.compression;

import com.github.luben.zstd.ZstdInputStream;
import com.github.luben.zstd.ZstdOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import undercroft.arrow.ArrowCodec;

/** Zstandard of Arrow files, by its own library in C, which needs native access. */
public final class ZstdCodec implements ArrowCodec {

  @Override
  public String name() {
    return "ZSTD";
  }

  @Override
  public InputStream decompress(InputStream compressed) throws IOException {
    return new ZstdInputStream(compressed);
  }

  @Override
  public OutputStream compress(OutputStream target) throws IOException {
    return new ZstdOutputStream(target);
  }
}

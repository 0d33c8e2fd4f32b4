package undercroft.compression;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import undercroft.file.format.BlockCodec;

/** Zstandard, by its own library in C, which needs native access. Found by `ServiceLoader`. Each
 * piece of a block is one frame.
 */
public final class ZstdBlockCodec implements BlockCodec {

  @Override
  public String name() {
    return "zstd";
  }

  @Override
  public int lowestLevel() {
    return 1;
  }

  @Override
  public int highestLevel() {
    return Zstd.maxCompressionLevel();
  }

  @Override
  public Encoder encoder(int level) {
    return new ZstdEncoder(level);
  }

  @Override
  public Decoder decoder() {
    return new ZstdDecoder();
  }

  private static final class ZstdEncoder implements Encoder {
    private final ZstdCompressCtx context = new ZstdCompressCtx();

    ZstdEncoder(int level) {
      context.setLevel(level);
    }

    @Override
    public int maxBytes(int count) {
      return Math.toIntExact(Zstd.compressBound(count));
    }

    @Override
    public int encode(byte[] source, int count, byte[] target) {
      return context.compressByteArray(target, 0, target.length, source, 0, count);
    }

    @Override
    public void close() {
      context.close();
    }
  }

  private static final class ZstdDecoder implements Decoder {
    private final ZstdDecompressCtx context = new ZstdDecompressCtx();

    @Override
    public void decode(byte[] source, int count, byte[] target, int at, int bytes) {
      int decoded;
      try {
        decoded = context.decompressByteArray(target, at, bytes, source, 0, count);
      } catch (ZstdException e) {
        throw new IllegalArgumentException(e.getMessage(), e);
      }
      if (decoded != bytes) throw new IllegalArgumentException("it has " + decoded + " bytes");
    }

    @Override
    public void close() {
      context.close();
    }
  }
}

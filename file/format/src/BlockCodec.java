package undercroft.file.format;

import java.util.ArrayList;
import java.util.ServiceLoader;

/** A codec of compressed struct files. Codecs are services of `ServiceLoader`:
 * `undercroft-compression` provides `zstd`, which is found when it is on the class path.
 *
 * Thread-safe. Its encoders and decoders are confined to one thread, and may own native memory until
 * they are closed. They work on arrays of the heap, so that no native code sees the memory of a
 * table.
 */
public interface BlockCodec {

  /** The name in the file: 1 to 16 of the characters `a-z`, `0-9` and `-`. */
  String name();

  /** The lowest level of an encoder. */
  int lowestLevel();

  /** The highest level of an encoder, with the smallest result. */
  int highestLevel();

  /** An encoder; `level` is in the range of this codec. */
  Encoder encoder(int level);

  Decoder decoder();

  /** Encodes blocks. Confined to one thread. */
  interface Encoder extends AutoCloseable {

    /** The most bytes that `count` bytes are encoded as. */
    int maxBytes(int count);

    /** Encodes the first `count` bytes of `source` to the beginning of `target`, which has at least
     * `maxBytes(count)` bytes; returns the number of encoded bytes.
     */
    int encode(byte[] source, int count, byte[] target);

    @Override
    void close();
  }

  /** Decodes blocks. Confined to one thread. */
  interface Decoder extends AutoCloseable {

    /** Decodes the first `count` bytes of `source` to `target[at, at + bytes)`. Throws
     * IllegalArgumentException with the reason if they are invalid, or anything but `bytes` bytes.
     */
    void decode(byte[] source, int count, byte[] target, int at, int bytes);

    @Override
    void close();
  }

  /** The codec of this name on the class path, or null. */
  static BlockCodec find(String name) {
    for (var codec : ServiceLoader.load(BlockCodec.class)) if (codec.name().equals(name)) return codec;
    return null;
  }

  /** The reason of an error if there is no codec of this name. */
  static String missing(String name) {
    var names = new ArrayList<String>();
    for (var codec : ServiceLoader.load(BlockCodec.class)) names.add(codec.name());
    var there = names.isEmpty() ? "it has no codec" : "it has " + String.join(", ", names);
    return "the codec " + name + " is not on the class path: " + there
        + "; undercroft-compression provides zstd";
  }
}

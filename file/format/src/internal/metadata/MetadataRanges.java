package undercroft.file.format.internal.metadata;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import undercroft.file.format.StructFileException;

/** Byte ranges of a file's metadata, for readers that fetch only parts of a remote file. A file of
 * the same length that contains only these ranges can be opened like the original.
 *
 * @param dataOffset the start of the data; all bytes before it are metadata
 * @param blocksOffset the position of the block table; 0 if the file is not sealed
 * @param blocksBytes the size of the block table; 0 if the file is not sealed
 */
public record MetadataRanges(long dataOffset, long blocksOffset, long blocksBytes) {

  /** The number of bytes at the start of a file that determine its ranges. */
  public static final int HEADERS = 2 * Header.SLOT;

  /** The ranges for a file that starts with these bytes.
   *
   * @throws StructFileException if they are not from a struct file; the exception names `file`
   */
  public static MetadataRanges of(Path file, byte[] headers, int count) {
    var header = Header.of(file, ByteBuffer.wrap(headers, 0, Math.min(count, HEADERS)));
    return new MetadataRanges(header.dataOffset(), header.blocksOffset(), header.blocksBytes());
  }
}

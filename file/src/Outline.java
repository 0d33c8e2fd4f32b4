package undercroft.file;

import java.nio.ByteBuffer;
import java.nio.file.Path;

/** Where a file has what tells of it, in bytes from its beginning: for who has the file elsewhere and
 * wants only parts of it. A file of the same length with these parts in their places opens as the
 * whole one does.
 *
 * @param dataOffset
 *     where the data begin; all that is before them belongs to the outline
 * @param blocksOffset
 *     where the table of blocks is; 0 if the file is not sealed, as the next one
 * @param blocksBytes
 *     the size of the table of blocks
 */
public record Outline(long dataOffset, long blocksOffset, long blocksBytes) {

  /** As many bytes of a file as its outline is read from. */
  public static final int HEADERS = 2 * Header.SLOT;

  /** The outline of a file whose first bytes are these.
   *
   * @throws StructFileException
   *     where they are not those of a struct file; it names `file`
   */
  public static Outline of(Path file, byte[] headers, int count) {
    var header = Header.of(file, ByteBuffer.wrap(headers, 0, Math.min(count, HEADERS)));
    return new Outline(header.dataOffset(), header.blocksOffset(), header.blocksBytes());
  }
}

package undercroft.file;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** The disk under a file, as far as its writer and its readers need it. Places are in bytes from the
 * beginning of the file.
 */
interface Volume extends AutoCloseable {

  long size() throws IOException;

  /** Reads until `count` bytes are there or the file ends; how many there are. */
  int read(byte[] into, int count, long at) throws IOException;

  /** Writes zeros, and so takes the room from the disk. */
  void fill(long at, long count) throws IOException;

  /** The first `bytes` bytes as memory; a file to be written becomes as long as that. */
  MemorySegment map(long bytes) throws IOException;

  /** Writes a header slot, after all that was stored in memory before. */
  void putSlot(byte[] slot, long at) throws IOException;

  /** Brings what was stored in memory there to the disk, and what the system needs to find it. */
  void force(long at, long count) throws IOException;

  /** Closes, and gives what is behind the first `bytes` bytes back to the disk. */
  void closeAt(long bytes) throws IOException;

  @Override
  void close() throws IOException;
}

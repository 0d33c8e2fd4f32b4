package undercroft.file.format.internal.storage;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/** The storage under a file, as its writer and its readers use it. Positions are in bytes from the
 * start of the file.
 */
public interface FileStorage extends AutoCloseable {

  long size() throws IOException;

  /** Reads until `count` bytes are read or the file ends; returns the number of bytes. */
  int read(byte[] into, int count, long at) throws IOException;

  /** Writes zeros, which allocates disk space and extends the file as needed. */
  void fill(long at, long count) throws IOException;

  /** Maps the first `bytes` bytes. The length of a file that is written does not change: only bytes
   * before its end may be accessed, and those that `fill` adds later.
   */
  MemorySegment map(long bytes) throws IOException;

  /** Extends the file to this length, without allocating disk space. */
  default void extend(long bytes) throws IOException {}

  /** Truncates the file to this length. */
  default void cut(long bytes) throws IOException {}

  /** Throws if the path does not refer to this file: it was deleted, moved or replaced. */
  default void checkNamed(Path path) throws IOException {}

  /** Writes a header slot, ordered after all earlier stores to the mapped memory. */
  void putSlot(byte[] slot, long at) throws IOException;

  /** Forces a range of the mapped memory to the device, with the file metadata that it needs. */
  void force(long at, long count) throws IOException;

  /** Closes, and truncates the file to its first `bytes` bytes. */
  void closeAt(long bytes) throws IOException;

  @Override
  void close() throws IOException;
}

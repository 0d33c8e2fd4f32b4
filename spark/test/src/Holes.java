package undercroft.file.format;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import undercroft.file.format.internal.storage.FileStorage;
import undercroft.file.format.internal.storage.LocalFileStorage;
import undercroft.file.format.internal.storage.WriterLock;

/** A writer that does not allocate disk space: rows that are not stored are holes in the file. */
public final class Holes {
  private Holes() {}

  public static StructWriter writer(Path path, Schema schema, long rows) throws IOException {
    StructWriter.create(path, schema, rows, Durability.VOLATILE).close();
    return StructWriter.open(path, WriterLock.take(path), new Sparse(path, LocalFileStorage.open(path, true)), rows, Durability.VOLATILE);
  }

  private record Sparse(Path path, LocalFileStorage file) implements FileStorage {
    @Override
    public void fill(long at, long count) throws IOException {
      try (var open = new RandomAccessFile(path.toFile(), "rw")) {
        if (open.length() < at + count) open.setLength(at + count);
      }
    }

    @Override
    public long size() throws IOException {
      return file.size();
    }

    @Override
    public int read(byte[] into, int count, long at) throws IOException {
      return file.read(into, count, at);
    }

    @Override
    public MemorySegment map(long bytes) throws IOException {
      return file.map(bytes);
    }

    @Override
    public void putSlot(byte[] slot, long at) {
      file.putSlot(slot, at);
    }

    @Override
    public void force(long at, long count) throws IOException {
      file.force(at, count);
    }

    @Override
    public void closeAt(long bytes) throws IOException {
      file.closeAt(bytes);
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}

package undercroft.file;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/** A writer that takes no room for rows: what is not stored is a hole in the file. */
public final class Holes {
  private Holes() {}

  public static StructWriter writer(Path path, Schema schema, long rows) throws IOException {
    StructWriter.create(path, schema, rows, Promise.VOLATILE).close();
    return StructWriter.open(path, WriterLock.take(path), new Sparse(FileVolume.open(path, true)), rows, Promise.VOLATILE);
  }

  private record Sparse(FileVolume file) implements Volume {
    @Override
    public void fill(long at, long count) {}

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

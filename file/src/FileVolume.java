package undercroft.file;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file. Any thread. It reads and writes without channels, which an interrupt would close. */
final class FileVolume implements Volume {
  private static final byte[] ZEROS = new byte[1 << 16];

  private final RandomAccessFile file;
  private final boolean writable;
  private final Arena arena = Arena.ofShared();
  private MemorySegment memory = MemorySegment.NULL;

  private FileVolume(RandomAccessFile file, boolean writable) {
    this.file = file;
    this.writable = writable;
  }

  static FileVolume open(Path path, boolean writable) {
    if (!Files.exists(path))
      throw new StructFileException(path, 0, Fault.ABSENT, "cannot open it");
    if (!Files.isRegularFile(path))
      throw new StructFileException(path, 0, Fault.FOREIGN, "it is no regular file");
    return make(path, writable);
  }

  /** A new file, or an old one emptied. */
  static FileVolume create(Path path) {
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      throw StructFileException.of(path, 0, e);
    }
    return make(path, true);
  }

  private static FileVolume make(Path path, boolean writable) {
    try {
      return new FileVolume(new RandomAccessFile(path.toFile(), writable ? "rw" : "r"), writable);
    } catch (FileNotFoundException e) {
      throw StructFileException.of(path, 0, e);
    }
  }

  @Override
  public long size() throws IOException {
    return file.length();
  }

  @Override
  public synchronized int read(byte[] into, int count, long at) throws IOException {
    file.seek(at);
    int done = 0;
    while (done < count) {
      int more = file.read(into, done, count - done);
      if (more < 0) break;
      done += more;
    }
    VarHandle.acquireFence();
    return done;
  }

  synchronized void write(byte[] bytes, int count, long at) throws IOException {
    file.seek(at);
    file.write(bytes, 0, count);
  }

  @Override
  public synchronized void fill(long at, long count) throws IOException {
    file.seek(at);
    for (long done = 0; done < count; ) {
      int part = (int) Math.min(ZEROS.length, count - done);
      file.write(ZEROS, 0, part);
      done += part;
    }
  }

  @Override
  public MemorySegment map(long bytes) throws IOException {
    var mode = writable ? MapMode.READ_WRITE : MapMode.READ_ONLY;
    memory = file.getChannel().map(mode, 0, bytes, arena);
    return memory;
  }

  @Override
  public void putSlot(byte[] slot, long at) {
    VarHandle.fullFence();
    MemorySegment.copy(slot, 0, memory, ValueLayout.JAVA_BYTE, at, slot.length);
  }

  @Override
  public void force(long at, long count) throws IOException {
    try {
      memory.asSlice(at, count).force();
    } catch (java.io.UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /** Brings everything to the disk, the file's length too. */
  void forceAll() throws IOException {
    file.getFD().sync();
  }

  /** Brings the names in the folder of a file to the disk, where the system can. */
  static void forceFolder(Path path) throws IOException {
    var folder = path.toAbsolutePath().getParent();
    if (folder == null || System.getProperty("os.name").startsWith("Windows")) return;
    boolean interrupted = Thread.interrupted(); // it would close the channel
    try (var names = FileChannel.open(folder)) {
      names.force(true);
    } finally {
      if (interrupted) Thread.currentThread().interrupt();
    }
  }

  @Override
  public void closeAt(long bytes) throws IOException {
    try (file) {
      if (arena.scope().isAlive()) arena.close();
      if (bytes < file.length()) file.setLength(bytes);
    }
  }

  @Override
  public void close() throws IOException {
    try (file) {
      if (arena.scope().isAlive()) arena.close();
    }
  }
}

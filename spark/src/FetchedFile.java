package undercroft.spark;

import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.types.StructType;
import undercroft.file.Layout;
import undercroft.file.Outline;
import undercroft.file.StructFile;
import undercroft.file.StructFileException;

/** A file of another file system, of which the parts that are read are copied into a local one.
 *
 * The local file is as long as the other one, has holes where nothing was fetched, and no name: the
 * disk has it back when it is closed, or when the process ends. It is in the folder for temporary
 * files.
 */
final class FetchedFile implements Opened {
  private final Path path;
  private final long modified;
  private final FSDataInputStream from;
  private final RandomAccessFile to;
  private final Outline outline;
  private final StructFile file;
  private final byte[] buffer = new byte[1 << 16];

  FetchedFile(FileSystem system, Path path) throws IOException {
    this.path = path;
    var local = Files.createTempFile("undercroft-", ".part");
    try {
      var status = system.getFileStatus(path);
      this.modified = status.getModificationTime();
      this.to = new RandomAccessFile(local.toFile(), "rw");
      try {
        this.from = system.open(path);
        try {
          to.setLength(status.getLen());
          var headers = new byte[Outline.HEADERS];
          int count = (int) Math.min(headers.length, status.getLen());
          from.readFully(0, headers, 0, count);
          this.outline = Outline.of(local, headers, count);
          long end = status.getLen();
          copy(0, Math.min(outline.dataOffset(), end));
          copy(outline.blocksOffset(), Math.min(outline.blocksOffset() + outline.blocksBytes(), end));
          this.file = StructFile.open(local);
        } catch (IOException | RuntimeException e) {
          from.close();
          throw e;
        }
      } catch (IOException | RuntimeException e) {
        to.close();
        throw e;
      }
    } catch (FileNotFoundException e) {
      throw new IllegalStateException(path + ": there is no such file", e);
    } catch (StructFileException e) {
      throw new IllegalStateException(e.getMessage().replace(local.toString(), path.toString()), e);
    } finally {
      Files.delete(local);
    }
  }

  @Override
  public StructFile file() {
    return file;
  }

  @Override
  public long modified() {
    return modified;
  }

  @Override
  public void fetch(StructType wanted, long first, long until) {
    var schema = file.schema();
    try {
      if (schema.layout() == Layout.COLUMNS)
        for (var leaf : Vectors.leaves(schema, wanted)) {
          long column = outline.dataOffset() + file.capacity() * leaf.offset();
          long size = leaf.type().size();
          copy(column + first * size, column + until * size);
        }
      else if (!wanted.isEmpty())
        copy(
            outline.dataOffset() + first * schema.stride(),
            outline.dataOffset() + until * schema.stride());
    } catch (IOException e) {
      throw new IllegalStateException(path + ": cannot be read: " + e.getMessage(), e);
    }
  }

  private void copy(long first, long until) throws IOException {
    for (long at = first; at < until; ) {
      int part = (int) Math.min(buffer.length, until - at);
      try {
        from.readFully(at, buffer, 0, part);
      } catch (EOFException e) {
        throw new IOException("truncated: it ends before " + (at + part), e);
      }
      to.seek(at);
      to.write(buffer, 0, part);
      at += part;
    }
  }

  @Override
  public void close() {
    try (to;
        from) {
      file.close();
    } catch (IOException e) {
      throw new IllegalStateException(path + ": cannot be closed: " + e.getMessage(), e);
    }
  }
}

package undercroft.spark.internal.folder;

import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.types.StructType;
import undercroft.file.format.FileLayout;
import undercroft.file.format.StructFile;
import undercroft.file.format.StructFileException;
import undercroft.file.format.internal.metadata.MetadataRanges;
import undercroft.spark.internal.vectors.Vectors;

/** A file on a remote file system; the parts that are read are copied to a local file.
 *
 * The local file is as long as the remote one, is sparse where nothing was fetched, and is deleted
 * while it is open: its disk space is released when it is closed or the process ends. It is
 * created in the folder for temporary files.
 */
public final class FetchedFile implements OpenStructFile {
  private final Path path;
  private final long modified;
  private final long bytes;
  private final FSDataInputStream from;
  private final RandomAccessFile to;
  private final MetadataRanges outline;
  private final StructFile file;
  private final byte[] buffer = new byte[1 << 16];

  public FetchedFile(FileSystem system, Path path) throws IOException {
    this.path = path;
    var local = Files.createTempFile("undercroft-", ".part");
    try {
      var status = system.getFileStatus(path);
      this.modified = status.getModificationTime();
      this.bytes = status.getLen();
      this.to = new RandomAccessFile(local.toFile(), "rw");
      try {
        this.from = system.open(path);
        try {
          to.setLength(status.getLen());
          var headers = new byte[MetadataRanges.HEADERS];
          int count = (int) Math.min(headers.length, status.getLen());
          from.readFully(0, headers, 0, count);
          this.outline = MetadataRanges.of(local, headers, count);
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
  public long bytes() {
    return bytes;
  }

  @Override
  public void compare(StructType projection, long from, long until) {
    try {
      OpenStructFile.super.compare(projection, from, until);
    } catch (StructFileException e) {
      // The name of the local file is meaningless to the user.
      throw new IllegalStateException(e.getMessage().replace(file.path().toString(), path.toString()), e);
    }
  }

  @Override
  public void fetch(StructType projection, long from, long to, boolean blocks) {
    var schema = file.schema();
    long block = blocks ? Math.max(1, file.rowsPerBlock()) : 1;
    long first = from / block * block;
    long until = Math.min(Math.ceilDiv(to, block) * block, Math.max(to, file.rows()));
    try {
      if (schema.layout() == FileLayout.COLUMNS)
        for (var leaf : Vectors.leaves(schema, projection)) {
          long column = outline.dataOffset() + file.capacity() * leaf.offset();
          long size = leaf.type().size();
          copy(column + first * size, column + until * size);
        }
      else if (!projection.isEmpty())
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

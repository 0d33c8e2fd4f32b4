package undercroft.spark;

import java.io.IOException;
import java.io.Serial;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import undercroft.file.Promise;
import undercroft.file.StructWriter;

/** Writes the rows of one task as sealed files, into a folder that nobody reads. For one thread. */
final class PartWriter implements DataWriter<InternalRow> {

  /** The files that a task has written. */
  record Written(List<Commit.Entry> entries) implements WriterCommitMessage {
    @Serial private static final long serialVersionUID = 1L;

    Written {
      entries = List.copyOf(entries);
    }
  }

  private final PartWriters of;
  private final Configuration conf;
  private final Fitting fitting;
  private final String name;
  private final List<Commit.Entry> done = new ArrayList<>();
  private final long rowsPerFile;

  /** Where a file was begun and is not handed over yet, or null. */
  private java.nio.file.Path local;

  private StructWriter writer;
  private long rows;
  private long ready;

  /**
   * @param name
   *     that no other task's files begin with
   */
  PartWriter(PartWriters of, Configuration conf, String name) {
    this.of = of;
    this.conf = conf;
    this.name = name;
    this.fitting = Fitting.of(of.columns(), of.asked());
    this.rowsPerFile = of.rowsPerFile(fitting.schema());
  }

  @Override
  public void write(InternalRow row) throws IOException {
    if (writer == null) open();
    if (rows >= ready) ready = writer.ensure(rows + 1);
    fitting.put(row, writer.data(), writer.capacity(), rows);
    rows++;
    if (rows == rowsPerFile) seal();
  }

  private String fileName() {
    return name + "-" + done.size() + ".rows";
  }

  private void open() throws IOException {
    var folder = new Path(of.staging());
    local =
        of.isLocal()
            ? Opened.local(folder).resolve(fileName())
            : Files.createTempDirectory("undercroft-").resolve(fileName());
    writer = StructWriter.create(local, fitting.schema(), rowsPerFile, Promise.VOLATILE);
    rows = 0;
    ready = 0;
  }

  private void seal() throws IOException {
    writer.seal(rows);
    writer = null;
    long length = Files.size(local);
    if (!of.isLocal()) {
      var target = new Path(of.staging(), fileName());
      target.getFileSystem(conf).copyFromLocalFile(true, true, new Path(local.toUri()), target);
      Files.delete(local.getParent());
    }
    local = null;
    done.add(new Commit.Entry(length, fileName()));
  }

  /** A file without rows, which says what the columns are. */
  Written empty() throws IOException {
    open();
    seal();
    return new Written(done);
  }

  @Override
  public WriterCommitMessage commit() throws IOException {
    if (writer != null) seal();
    return new Written(done);
  }

  /** Deletes the file that was begun, and not what was sealed: that is in a folder that goes as a
   * whole.
   */
  @Override
  public void abort() throws IOException {
    if (local == null) return;
    var begun = local;
    local = null;
    try {
      if (writer != null) writer.close();
    } finally {
      writer = null;
      Files.deleteIfExists(begun);
      Files.deleteIfExists(begun.resolveSibling(begun.getFileName() + ".lock"));
      if (!of.isLocal()) Files.deleteIfExists(begun.getParent());
    }
  }

  @Override
  public void close() throws IOException {
    abort();
  }
}

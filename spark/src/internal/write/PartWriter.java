package undercroft.spark.internal.write;

import java.io.IOException;
import java.io.Serial;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import undercroft.file.format.Checksums;
import undercroft.file.format.Durability;
import undercroft.file.format.StructFile;
import undercroft.file.format.StructWriter;
import undercroft.file.format.internal.folder.FileFacts;
import undercroft.file.format.internal.folder.FolderManifest;
import undercroft.spark.internal.folder.OpenStructFile;
import undercroft.spark.internal.folder.RowPartition;

/** Writes the rows of one task as sealed files to the staging folder, each of one partition.
 * Confined to one thread.
 */
public final class PartWriter implements DataWriter<InternalRow> {

  /** The files that a task has written. */
  public record Written(List<FolderManifest.Entry> entries) implements WriterCommitMessage {
    @Serial private static final long serialVersionUID = 1L;

    public Written {
      entries = List.copyOf(entries);
    }
  }

  private final PartWriters of;
  private final Configuration conf;
  private final RowPartition folders;
  private final SchemaMapping fitting;

  /** The positions of the stored columns in a row. */
  private final int[] ordinals;

  private final String name;
  private final int partition;
  private final List<FolderManifest.Entry> done = new ArrayList<>();
  private final long rowsPerFile;

  /** The partition folders of the current file, such as `day=2026-11-24`; or empty. */
  private String folder = "";

  /** The local file that is being written, or null. */
  private java.nio.file.Path local;

  private StructWriter writer;
  private long rows;

  /** The rows of all files so far. */
  private long count;

  private long ready;

  /** @param name a file name prefix that is unique to the task
   * @param partition the number of the task's partition of the data, for messages
   */
  public PartWriter(PartWriters of, Configuration conf, String name, int partition) {
    this.of = of;
    this.conf = conf;
    this.name = name;
    this.partition = partition;
    this.folders = new RowPartition(of.columns(), of.partitions());
    this.fitting = SchemaMapping.of(of.stored(), of.asked());
    this.ordinals =
        Arrays.stream(of.stored().fieldNames()).mapToInt(of.columns()::fieldIndex).toArray();
    this.rowsPerFile = of.rowsPerFile(fitting.schema());
  }

  @Override
  public void write(InternalRow row) throws IOException {
    try {
      if (folders.next(row)) {
        if (writer != null) seal();
        folder = folders.path();
      }
      if (writer == null) open();
      if (rows >= ready) ready = writer.ensureCapacity(rows + 1);
      fitting.put(row, ordinals, writer.data(), writer.capacity(), rows);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("row " + count + " of partition " + partition + ": " + e.getMessage(), e);
    }
    rows++;
    count++;
    if (rows == rowsPerFile) seal();
  }

  private String fileName() {
    return name + "-" + done.size() + ".rows";
  }

  /** The name of a file in the staging folder, which has no partition folders. */
  public static String fileName(FolderManifest.Entry entry) {
    return entry.name().substring(entry.name().lastIndexOf('/') + 1);
  }

  private void open() throws IOException {
    var folder = new Path(of.staging());
    local =
        of.isLocal()
            ? OpenStructFile.local(folder).resolve(fileName())
            : Files.createTempDirectory("undercroft-").resolve(fileName());
    writer = StructWriter.create(local, fitting.schema(), rowsPerFile, Durability.VOLATILE);
    rows = 0;
    ready = 0;
  }

  private void seal() throws IOException {
    writer.seal(rows);
    writer = null;
    long length = Files.size(local);
    FileFacts facts;
    try (var sealed = StructFile.open(local, Checksums.NEVER)) {
      if (of.isLocal()) facts = FileFacts.of(sealed, local.toFile().lastModified());
      else {
        var target = new Path(of.staging(), fileName());
        var system = target.getFileSystem(conf);
        system.copyFromLocalFile(false, true, new Path(local.toUri()), target);
        facts = FileFacts.of(sealed, system.getFileStatus(target).getModificationTime());
      }
    }
    if (!of.isLocal()) {
      Files.delete(local);
      Files.delete(local.getParent());
    }
    local = null;
    var path = folder.isEmpty() ? fileName() : folder + "/" + fileName();
    done.add(new FolderManifest.Entry(length, path, facts));
  }

  /** Writes a file without rows, which stores the columns. */
  public Written empty() throws IOException {
    folder = RowPartition.missing(of.partitions());
    open();
    seal();
    return new Written(done);
  }

  @Override
  public WriterCommitMessage commit() throws IOException {
    if (writer != null) seal();
    return new Written(done);
  }

  /** Deletes the unfinished file. Sealed files are deleted with the staging folder. */
  @Override
  public void abort() throws IOException {
    if (local == null) return;
    var partFile = local;
    local = null;
    try {
      if (writer != null) writer.close();
    } finally {
      writer = null;
      Files.deleteIfExists(partFile);
      Files.deleteIfExists(partFile.resolveSibling(partFile.getFileName() + ".lock"));
      if (!of.isLocal()) Files.deleteIfExists(partFile.getParent());
    }
  }

  @Override
  public void close() throws IOException {
    abort();
  }
}

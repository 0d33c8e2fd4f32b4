package undercroft.spark.internal.folder;

import java.io.Serial;
import java.io.Serializable;
import java.util.Arrays;
import java.util.Objects;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import undercroft.file.format.Durability;
import undercroft.file.format.Schema;
import undercroft.file.format.internal.schema.SchemaCodec;
import undercroft.spark.internal.columns.ColumnMetadata;
import undercroft.spark.internal.columns.ColumnNames;
import undercroft.spark.internal.columns.NullableField;

/** The identity of a struct file when a job was planned; its tasks check that it is unchanged.
 *
 * @param path including the file system
 * @param partition the partition folders of the file, such as `day=2026-11-24`; or empty
 * @param modified the modification time of a sealed file, in milliseconds since 1970
 * @param bytes the file's size
 */
public record SourceFile(
    String path, String partition, boolean isLocal, long rows, long schemaHash, boolean isSealed, long modified,
    long bytes)
    implements Serializable {
  @Serial private static final long serialVersionUID = 1L;

  public static SourceFile of(Path path, String partition, OpenStructFile opened) {
    var file = opened.file();
    return new SourceFile(
        path.toString(), partition, opened instanceof LocalFile, file.rows(), SchemaCodec.hash(file.schema()), file.durability() == Durability.SEALED,
        opened.modified(), opened.bytes());
  }

  /** A sealed file, by the facts of its manifest. */
  public static SourceFile of(TableFolder.TableFile file, long schemaHash, Configuration conf) {
    return new SourceFile(
        file.path().toString(), file.partition(), OpenStructFile.isLocal(file.path(), conf), file.facts().rows(), schemaHash,
        true, file.modified(), file.length());
  }

  /** Opens the file again; throws IllegalStateException if it is another file now.
   *
   * @param conf the configuration of its file system; may be null if it is local
   */
  public OpenStructFile open(Configuration conf) {
    var at = new Path(path);
    var opened = isLocal ? new LocalFile(at) : OpenStructFile.open(at, conf);
    var now = of(at, partition, opened);
    boolean isUnchanged =
        now.schemaHash == schemaHash
            && (isSealed ? now.rows == rows && now.isSealed && now.modified == modified : now.rows >= rows);
    if (isUnchanged) return opened;
    opened.close();
    throw new IllegalStateException(
        path + ": the file changed after the job was planned: it is " + now.words() + ", but was "
            + words());
  }

  /** Each column of a projection by its name in a file, or null if it is not stored in it: others are
   * in the names of its folders, or in other files.
   *
   * @param schema the schema of the file
   */
  public static StructField[] inFile(StructType projection, Schema schema, ColumnNames names) {
    var columns = NullableField.columns(schema.fields());
    var stored = new StructField[projection.length()];
    for (int i = 0; i < stored.length; i++) {
      var column = projection.fields()[i];
      int index = FileMetadata.is(column) ? -1 : names.indexOf(columns, column.name());
      if (index >= 0) stored[i] = names.as(columns.fields()[index], column);
    }
    return stored;
  }

  /** The columns of a projection that are stored in a file, by their names in it. */
  public static StructType stored(StructField[] inFile) {
    return new StructType(Arrays.stream(inFile).filter(Objects::nonNull).toArray(StructField[]::new));
  }

  private String words() {
    return (isSealed ? "sealed, " : "") + rows + " rows, schema " + Long.toHexString(schemaHash)
        + ", changed at " + java.time.Instant.ofEpochMilli(modified);
  }

  /** Throws, with the first difference, if two files have different columns. */
  public static void same(String path, StructType columns, String first, StructType expected) {
    if (ColumnMetadata.same(columns, expected)) return;
    for (int i = 0; ; i++) {
      var here = i < columns.length() ? columns.fields()[i] : null;
      var there = i < expected.length() ? expected.fields()[i] : null;
      boolean bothExist = here != null && there != null;
      if (bothExist
          && ColumnMetadata.same(
              new StructType(new StructField[] {here}), new StructType(new StructField[] {there})))
        continue;
      throw new IllegalArgumentException(
          path + ": schema mismatch: column " + i + " is " + words(here) + ", but " + words(there)
              + " in " + first);
    }
  }

  private static String words(StructField field) {
    return field == null
        ? "missing"
        : field.name() + " of type " + field.dataType().sql() + (field.nullable() ? " or null" : "");
  }
}

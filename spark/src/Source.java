package undercroft.spark;

import java.io.Serial;
import java.io.Serializable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import undercroft.file.Promise;

/** A struct file as it was when a job was planned: what its tasks find has to be the same.
 *
 * @param path
 *     with its file system
 * @param modified
 *     when it was changed last, in milliseconds since 1970, if it is sealed
 */
record Source(
    String path, boolean isLocal, long rows, long schemaHash, boolean isSealed, long modified)
    implements Serializable {
  @Serial private static final long serialVersionUID = 1L;

  static Source of(Path path, Opened opened) {
    var file = opened.file();
    return new Source(
        path.toString(), opened instanceof LocalFile, file.rows(), file.schema().hash(), file.promise() == Promise.SEALED,
        opened.modified());
  }

  /** Opens the file anew; an IllegalStateException where it is another one now.
   *
   * @param conf
   *     what its file system has to know; null will do where it is local
   */
  Opened open(Configuration conf) {
    var at = new Path(path);
    var opened = isLocal ? new LocalFile(at) : Opened.open(at, conf);
    var now = of(at, opened);
    boolean same =
        now.schemaHash == schemaHash
            && (isSealed ? now.rows == rows && now.isSealed && now.modified == modified : now.rows >= rows);
    if (same) return opened;
    opened.close();
    throw new IllegalStateException(
        path + ": it is another file than when the job was planned: " + now.words() + ", and was "
            + words());
  }

  private String words() {
    return (isSealed ? "sealed, " : "") + rows + " rows, schema " + Long.toHexString(schemaHash)
        + ", changed at " + java.time.Instant.ofEpochMilli(modified);
  }

  /** Refuses a file whose columns are not those of another one, with the first difference. */
  static void same(String path, StructType columns, String first, StructType expected) {
    if (Kept.same(columns, expected)) return;
    for (int i = 0; ; i++) {
      var here = i < columns.length() ? columns.fields()[i] : null;
      var there = i < expected.length() ? expected.fields()[i] : null;
      boolean both = here != null && there != null;
      if (both && Kept.same(new StructType(new StructField[] {here}), new StructType(new StructField[] {there})))
        continue;
      throw new IllegalArgumentException(
          path + ": another schema: column " + i + " is " + words(here) + ", and " + words(there)
              + " in " + first);
    }
  }

  private static String words(StructField field) {
    return field == null
        ? "missing"
        : field.name() + " of type " + field.dataType().sql() + (field.nullable() ? " or null" : "");
  }
}

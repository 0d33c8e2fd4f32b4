package undercroft.spark.internal.folder;

import org.apache.hadoop.fs.Path;
import org.apache.spark.rdd.InputFileBlockHolder;
import org.apache.spark.sql.connector.catalog.MetadataColumn;
import org.apache.spark.sql.execution.vectorized.ConstantColumnVector;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.MetadataBuilder;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.unsafe.types.UTF8String;
import undercroft.spark.internal.columns.ColumnNames;

/** The hidden column `_metadata` of Spark's sources of files: facts of the file that a row is from. The
 * block is the whole file, because tasks divide files by rows.
 */
public final class FileMetadata implements MetadataColumn {
  public static final FileMetadata COLUMN = new FileMetadata();

  private static final String NAME = "_metadata";

  /** Marks this column in a projection: a file may have a column of the same name. */
  private static final String MARK = "undercroft.file";

  private static final StructType FACTS =
      new StructType()
          .add("file_path", DataTypes.StringType, false)
          .add("file_name", DataTypes.StringType, false)
          .add("file_size", DataTypes.LongType, false)
          .add("file_block_start", DataTypes.LongType, false)
          .add("file_block_length", DataTypes.LongType, false)
          .add("file_modification_time", DataTypes.TimestampType, false);

  private FileMetadata() {}

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public DataType dataType() {
    return FACTS;
  }

  @Override
  public boolean isNullable() {
    return false;
  }

  /** A projection in which this column is marked, unless the table has a column of its name. */
  public static StructType mark(StructType projection, StructType columns, ColumnNames names) {
    if (names.indexOf(columns, NAME) >= 0) return projection;
    var fields = projection.fields().clone();
    var mark = new MetadataBuilder().putBoolean(MARK, true).build();
    for (int i = 0; i < fields.length; i++)
      if (fields[i].name().equals(NAME))
        fields[i] = new StructField(NAME, fields[i].dataType(), fields[i].nullable(), mark);
    return new StructType(fields);
  }

  public static boolean is(StructField column) {
    return column.metadata().contains(MARK);
  }

  /** A vector of `rows` equal values.
   *
   * @param column may have a part of the facts
   */
  public static ColumnVector vector(SourceFile source, StructField column, int rows) {
    var facts = (StructType) column.dataType();
    var vector = new ConstantColumnVector(rows, facts);
    for (int i = 0; i < facts.length(); i++) {
      var child = new ConstantColumnVector(rows, facts.fields()[i].dataType());
      switch (facts.fields()[i].name()) {
        case "file_path" -> child.setUtf8String(UTF8String.fromString(url(source)));
        case "file_name" -> child.setUtf8String(UTF8String.fromString(new Path(source.path()).getName()));
        case "file_size", "file_block_length" -> child.setLong(source.bytes());
        case "file_block_start" -> child.setLong(0);
        case "file_modification_time" -> child.setLong(Math.multiplyExact(source.modified(), 1000L));
        case String other -> throw new IllegalArgumentException(NAME + " has no field " + other);
      }
      vector.setChild(i, child);
    }
    return vector;
  }

  /** Sets the results of `input_file_name()` and its siblings in this task. */
  public static void setInputFile(SourceFile source) {
    InputFileBlockHolder.set(url(source), 0, source.bytes());
  }

  public static void unsetInputFile() {
    InputFileBlockHolder.unset();
  }

  private static String url(SourceFile source) {
    return new Path(source.path()).toUri().toString();
  }
}

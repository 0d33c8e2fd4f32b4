package undercroft.spark.internal.folder;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import undercroft.file.format.Field;
import undercroft.file.format.Schema;
import undercroft.file.format.Type;
import undercroft.file.format.internal.schema.TypeConversion;
import undercroft.spark.internal.columns.ColumnMetadata;
import undercroft.spark.internal.columns.ColumnNames;
import undercroft.spark.internal.columns.LogicalColumns;
import undercroft.spark.internal.columns.MergedColumns;
import undercroft.spark.internal.columns.NullableField;
import undercroft.spark.internal.columns.SourceOptions;

/** The struct files of a table: all have been opened once, and have the same columns, unless the option
 * `mergeSchema` allows others.
 *
 * @param columns the columns of the files, and then the columns of their partitions, by their names in
 *     the first file that has them
 * @param partitions the columns whose values are in the names of folders
 */
public record StructFileIndex(
    List<Entry> entries, StructType columns, StructType partitions, ColumnNames names, Configuration conf) {

  /** @param schema the schema of the file
   */
  public record Entry(SourceFile source, Schema schema) {

    /** The name of the file in its folder, with its partition folders. */
    public String name() {
      var name = new Path(source.path()).getName();
      return source.partition().isEmpty() ? name : source.partition() + "/" + name;
    }
  }

  /** The names of the files in their folder. */
  public Set<String> fileNames() {
    return entries.stream().map(Entry::name).collect(Collectors.toUnmodifiableSet());
  }

  /** Opens the files named by the options. Errors name the file. */
  public static StructFileIndex of(CaseInsensitiveStringMap options) {
    return of(options, SourceOptions.flag(options, "mergeSchema", false), Integer.MAX_VALUE);
  }

  /** Opens the files named by the options, which may have different columns: those of a table of the
   * catalog, to which columns may be added.
   */
  public static StructFileIndex merged(CaseInsensitiveStringMap options) {
    return of(options, true, Integer.MAX_VALUE);
  }

  /** Opens only the first file named by the options: an append to a folder of many files takes its
   * columns and partitions.
   */
  public static StructFileIndex first(CaseInsensitiveStringMap options) {
    return of(options, false, 1);
  }

  /** Opens one file of a folder. */
  public static StructFileIndex of(TableFolder.TableFile file, Configuration conf) {
    return of(List.of(file), false, conf);
  }

  /** Opens each file named by the options alone: they may have different columns. Errors name the
   * file.
   */
  public static List<Entry> each(CaseInsensitiveStringMap options) {
    var conf = SourceOptions.hadoop(options);
    return TableFolder.files(SourceOptions.paths(options), conf).stream()
        .map(file -> SealedFiles.of(file, conf))
        .toList();
  }

  private static StructFileIndex of(CaseInsensitiveStringMap options, boolean merges, int maxFiles) {
    var conf = SourceOptions.hadoop(options);
    var files = TableFolder.files(SourceOptions.paths(options), conf);
    return of(files.subList(0, Math.min(maxFiles, files.size())), merges, conf);
  }

  private static StructFileIndex of(List<TableFolder.TableFile> files, boolean merges, Configuration conf) {
    var entries = new ArrayList<Entry>();
    var names = ColumnNames.ofSession();
    StructType columns = null;
    for (var file : files) {
      var entry = SealedFiles.of(file, conf);
      entries.add(entry);
      // Files of one schema share it.
      if (entries.size() > 1 && entry.schema == entries.get(entries.size() - 2).schema) continue;
      var here = NullableField.columns(entry.schema.fields());
      if (columns != null) here = names.as(columns, here);
      if (columns == null) columns = here;
      else if (merges) columns = MergedColumns.of(columns, here, entry.source.path());
      else {
        SourceFile.same(entry.source.path(), here, entries.getFirst().source.path(), columns);
        columns = ColumnMetadata.common(columns, here);
      }
    }
    var partitions = PartitionColumns.of(entries.stream().map(Entry::source).toList());
    return new StructFileIndex(
        List.copyOf(entries), PartitionColumns.append(columns, partitions, entries.getFirst().source().path()),
        partitions, names, conf);
  }

  /** The first file of each schema. */
  private List<Entry> distinct() {
    var seen = Collections.<Schema>newSetFromMap(new IdentityHashMap<>());
    return entries.stream().filter(entry -> seen.add(entry.schema)).toList();
  }

  /** The columns that are stored in the files, with the metadata of the first file that has them. */
  public StructType stored() {
    var stored = PartitionColumns.without(columns, List.of(partitions.fieldNames()));
    var fields = stored.fields().clone();
    var distinct = distinct();
    for (int i = 0; i < fields.length; i++) {
      var column = fields[i];
      for (var entry : distinct.reversed()) {
        var here = NullableField.columns(entry.schema.fields());
        int index = names.indexOf(here, column.name());
        if (index < 0) continue;
        var part = names.as(column, here.fields()[index]);
        fields[i] = new StructField(part.name(), part.dataType(), column.nullable(), part.metadata());
      }
    }
    return new StructType(fields);
  }

  /** The same files, whose partition columns have the requested types. */
  public StructFileIndex typed(StructType requested) {
    if (partitions.isEmpty()) return this;
    var typed = PartitionColumns.typed(partitions, requested, entries.stream().map(Entry::source).toList());
    var stored = PartitionColumns.without(columns, List.of(partitions.fieldNames()));
    return new StructFileIndex(
        entries, PartitionColumns.append(stored, typed, entries.getFirst().source().path()), typed, names, conf);
  }

  /** Throws if a requested column is missing or has another type, or is of the numbers of times of day in
   * another unit.
   *
   * @param projection has the names of these files
   * @param isOfTable whether these are all columns of a table of the catalog, which may have been added
   *     to it, and are null then
   */
  public void check(StructType projection, boolean isOfTable) {
    if (isOfTable) checkAdded(projection);
    var present = List.of(columns.fieldNames());
    for (var column : projection.fields()) {
      if (!present.contains(column.name())) {
        if (isOfTable && column.nullable()) continue;
        throw missing(column, "");
      }
      var file = entries.getFirst().source.path();
      var there = columns.fields()[present.indexOf(column.name())];
      if (!ColumnMetadata.isReadAs(there, column) && !isStored(column))
        throw new IllegalArgumentException(
            file + ": column " + column.name() + " is of type " + there.dataType().sql()
                + (there.nullable() && !column.nullable() ? " or null" : "") + ", but "
                + column.dataType().sql() + " was requested");
    }
    for (var entry : distinct()) checkUnits(entry, projection);
  }

  /** Throws if a table of the catalog has a column that no file has, although the files have a column
   * that the table does not have: it may have been renamed, and its values would be lost.
   *
   * @param table all columns of the table, with the names of these files
   */
  public void checkAdded(StructType table) {
    var present = List.of(columns.fieldNames());
    var expected = List.of(table.fieldNames());
    if (present.stream().allMatch(expected::contains)) return;
    for (var column : table.fields())
      if (!present.contains(column.name()))
        throw missing(
            column, ", and the table has only " + String.join(", ", expected) + ": ALTER TABLE ... RENAME COLUMN and"
                + " DROP COLUMN change no file, so use the name that the column has in the files, or a view");
  }

  private IllegalArgumentException missing(StructField column, String advice) {
    return new IllegalArgumentException(
        entries.getFirst().source.path() + ": there is no column " + column.name() + ", only "
            + String.join(", ", columns.fieldNames()) + advice);
  }

  /** Throws if a file has times of day in another unit than the files that a column of numbers was
   * inferred from: it was added since.
   */
  private void checkUnits(Entry entry, StructType projection) {
    var stored = names.as(projection, NullableField.columns(entry.schema.fields()));
    var present = List.of(stored.fieldNames());
    for (var column : projection.fields()) {
      int index = present.indexOf(column.name());
      if (index < 0) continue;
      var unit = ColumnMetadata.otherUnit(stored.fields()[index], column);
      if (unit.isPresent())
        throw new IllegalArgumentException(
            entry.source.path() + ": column " + column.name() + " is a time of day in " + unit.get()
                + ", but its stored numbers were requested in another unit, that of other files: "
                + LogicalColumns.ADVICE + "; create a table of a catalog again");
    }
  }

  /** Whether a column is requested as the stored type of its logical type, in all files that have it:
   * at least one. It is null in other files.
   */
  private boolean isStored(StructField column) {
    boolean isPresent = false;
    for (var entry : distinct()) {
      var stored = names.as(columns, NullableField.columns(TypeConversion.withoutKinds(entry.schema).fields()));
      boolean isHere = List.of(stored.fieldNames()).contains(column.name());
      if (isHere ? !ColumnMetadata.isReadAs(stored.apply(column.name()), column) : !column.nullable()) return false;
      isPresent |= isHere;
    }
    return isPresent;
  }

  public long rows() {
    return entries.stream().mapToLong(entry -> entry.source.rows()).sum();
  }

  /** The leaf value of a column that has block statistics in the order of Spark's type: an integer,
   * a floating-point number or an enum.
   *
   * @param column the path of the column and its nested fields
   */
  public Optional<Schema.Leaf> ranged(Schema schema, String[] column) {
    var parts = NullableField.of(schema.fields());
    var path = new ArrayList<String>();
    for (int i = 0; i < column.length; i++) {
      var columns = new StructType(parts.stream().map(NullableField::column).toArray(StructField[]::new));
      int index = names.indexOf(columns, column[i]);
      if (index < 0) return Optional.empty();
      var part = parts.get(index);
      path.add(part.name());
      if (part.number() == NullableField.DEFINED) path.add("get");
      if (i < column.length - 1) {
        if (part.field() instanceof Field.Leaf) return Optional.empty();
        parts = NullableField.inside(part.field());
      }
    }
    return schema.leaves().stream()
        .filter(leaf -> leaf.path().equals(path) && !leaf.shared() && isNumber(leaf.type()))
        .findFirst();
  }

  private static boolean isNumber(Type type) {
    return switch (type) {
      case Type.Primitive _ -> true;
      // Without case names the column is a signed Int in Spark, but the statistics are unsigned.
      case Type.Ordinal ordinal -> ordinal.size() != 4 || !ordinal.cases().isEmpty();
      case Type.BigEndian big -> isNumber(big.of());
      case Type.Logical logical -> isNumber(logical.of());
      default -> false;
    };
  }
}

package undercroft.spark.internal.columns;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DayTimeIntervalType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.MetadataBuilder;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimeType;
import undercroft.file.format.LogicalKind;
import undercroft.file.format.Type;
import undercroft.file.format.Type.Primitive;

/** Column metadata for stored types that Spark's type does not determine: an enum with its cases, the
 * size of a string, a Char, the length of an array, the unit of a time, a UUID, a type with a name of
 * its own. Spark preserves metadata while a column is passed on unchanged, so a column that is read
 * and written back keeps its stored type.
 */
public final class ColumnMetadata {
  private ColumnMetadata() {}

  private static final String CHAR = "undercroft.char";
  private static final String NUMBER = "undercroft.number";
  private static final String CASES = "undercroft.cases";
  private static final String TEXT_BYTES = "undercroft.textBytes";

  /** The unit of a timestamp or of an interval that is not in microseconds. */
  private static final String UNIT = "undercroft.unit";

  /** The unit of a time of day. */
  private static final String TIME = "undercroft.time";

  private static final String UUID = "undercroft.uuid";

  /** The name of a type with a name of its own; the other facts are those of its stored type. */
  private static final String NAME = "undercroft.name";

  /** Whether a decimal is stored in 128 bits, although 64 would do. */
  private static final String WIDE = "undercroft.wide";

  /** The lengths of an array of arrays, the outermost first; the other facts are its elements'. */
  private static final String LENGTHS = "undercroft.arrayLengths";

  /** The metadata of a column of a type. */
  public static Metadata of(Type type) {
    var builder = new MetadataBuilder();
    var lengths = new ArrayList<Long>();
    var logical = type;
    for (; logical.physical() instanceof Type.Elements array; logical = array.of())
      lengths.add((long) array.count());
    if (!lengths.isEmpty()) builder.putLongArray(LENGTHS, longs(lengths));
    if (logical instanceof Type.Logical of) put(builder, of.kind(), of.of() instanceof Type.Struct);
    var element = logical.physical();
    switch (element instanceof Type.BigEndian big ? big.of() : element) {
      case Primitive.CHAR -> builder.putBoolean(CHAR, true);
      case Type.Ordinal ordinal -> {
        builder.putString(NUMBER, ordinal.of().name());
        // An empty string array would be read back as an array of Longs.
        if (!ordinal.cases().isEmpty()) builder.putStringArray(CASES, ordinal.cases().toArray(String[]::new));
      }
      case Type.Text text -> builder.putLong(TEXT_BYTES, text.size());
      default -> {}
    }
    return builder.build();
  }

  /** The metadata of a column of several fields with a logical type, such as the two of 128 bits. */
  public static Metadata ofFields(LogicalKind kind) {
    var builder = new MetadataBuilder();
    put(builder, kind, true);
    return builder.build();
  }

  private static void put(MetadataBuilder builder, LogicalKind kind, boolean isPair) {
    switch (kind) {
      case LogicalKind.Timestamp(var unit, _) when unit != LogicalKind.Unit.MICROS ->
          builder.putString(UNIT, unit.name());
      case LogicalKind.Decimal(int precision, _) when isPair && precision <= LogicalKind.LONG_DIGITS ->
          builder.putBoolean(WIDE, true);
      case LogicalKind.Time(var unit) -> builder.putString(TIME, unit.name());
      case LogicalKind.Duration(var unit) when unit != LogicalKind.Unit.MICROS ->
          builder.putString(UNIT, unit.name());
      case LogicalKind.Uuid() -> builder.putBoolean(UUID, true);
      case LogicalKind.Named(var name) -> builder.putString(NAME, name);
      default -> {}
    }
  }

  private static long[] longs(List<Long> numbers) {
    return numbers.stream().mapToLong(number -> number).toArray();
  }

  /** The length of an array column, if its metadata has one; otherwise 0. */
  public static long arrayLength(StructField column) {
    return column.metadata().contains(LENGTHS) ? column.metadata().getLongArray(LENGTHS)[0] : 0;
  }

  /** The elements of an array column as a column. */
  public static StructField element(StructField column) {
    var metadata = new MetadataBuilder().withMetadata(column.metadata()).remove(LENGTHS);
    if (column.metadata().contains(LENGTHS)) {
      var lengths = column.metadata().getLongArray(LENGTHS);
      if (lengths.length > 1) metadata.putLongArray(LENGTHS, Arrays.copyOfRange(lengths, 1, lengths.length));
    }
    return new StructField("element", ((ArrayType) column.dataType()).elementType(), false, metadata.build());
  }

  /** The name of a column's logical type, if its metadata has one. */
  public static Optional<LogicalKind> name(StructField column) {
    return column.metadata().contains(NAME)
        ? Optional.of(new LogicalKind.Named(column.metadata().getString(NAME)))
        : Optional.empty();
  }

  /** The stored type of a column that is not an array, if its metadata has one; without a name of its
   * own.
   */
  public static Optional<Type> in(StructField column) {
    var metadata = column.metadata();
    if (metadata.contains(TEXT_BYTES)) return Optional.of(new Type.Text((int) metadata.getLong(TEXT_BYTES)));
    if (metadata.contains(CHAR)) return Optional.of(Primitive.CHAR);
    if (metadata.contains(UNIT) && column.dataType() instanceof DayTimeIntervalType)
      return Optional.of(LogicalColumns.number(new LogicalKind.Duration(unit(metadata, UNIT))));
    if (metadata.contains(UNIT))
      return Optional.of(
          LogicalColumns.timestamp(
              unit(metadata, UNIT),
              !column.dataType().equals(DataTypes.TimestampNTZType)));
    if (metadata.contains(TIME))
      return Optional.of(LogicalColumns.number(new LogicalKind.Time(unit(metadata, TIME))));
    if (metadata.contains(UUID)) return Optional.of(LogicalColumns.pair(new LogicalKind.Uuid()));
    if (metadata.contains(WIDE) && column.dataType() instanceof DecimalType decimal)
      return Optional.of(LogicalColumns.pair(decimal));
    if (!metadata.contains(NUMBER)) return Optional.empty();
    var number = Primitive.valueOf(metadata.getString(NUMBER));
    var cases = metadata.contains(CASES) ? List.of(metadata.getStringArray(CASES)) : List.<String>of();
    return Optional.of(new Type.Ordinal(number, cases));
  }

  private static LogicalKind.Unit unit(Metadata metadata, String key) {
    return LogicalKind.Unit.valueOf(metadata.getString(key));
  }

  /** Whether two types are equal except for metadata. */
  public static boolean same(DataType first, DataType second) {
    return without(first).equals(without(second));
  }

  /** Whether a stored column can be read as a requested one, which may be null if the stored one is
   * not.
   */
  public static boolean isReadAs(StructField stored, StructField requested) {
    return stored.name().equals(requested.name())
        && (requested.nullable() || !stored.nullable())
        && isReadAs(stored.dataType(), requested.dataType());
  }

  /** Whether values of a type can be read as a requested one: an interval or a time of day as one of
   * other fields or digits, if the value is a whole number of the last one; a time of day as its stored
   * number, too.
   */
  public static boolean isReadAs(DataType stored, DataType requested) {
    if (stored instanceof TimeType) return requested instanceof TimeType || requested.equals(DataTypes.LongType);
    if (stored instanceof DayTimeIntervalType && requested instanceof DayTimeIntervalType) return true;
    if (stored instanceof ArrayType a && requested instanceof ArrayType b)
      return (b.containsNull() || !a.containsNull()) && isReadAs(a.elementType(), b.elementType());
    if (!(stored instanceof StructType a) || !(requested instanceof StructType b)) return stored.equals(requested);
    if (a.length() != b.length()) return false;
    for (int i = 0; i < a.length(); i++) if (!isReadAs(a.fields()[i], b.fields()[i])) return false;
    return true;
  }

  /** The unit of a time of day in a column of a file, if the numbers of another unit were requested by
   * the metadata of a column that was inferred from other files.
   *
   * @param stored the column of the file, whose type can be read as the requested one
   */
  public static Optional<LogicalKind.Unit> otherUnit(StructField stored, StructField requested) {
    return otherUnit(stored.dataType(), stored.metadata(), requested.dataType(), requested.metadata());
  }

  private static Optional<LogicalKind.Unit> otherUnit(
      DataType stored, Metadata facts, DataType requested, Metadata requestedFacts) {
    if (stored instanceof ArrayType a && requested instanceof ArrayType b)
      return otherUnit(a.elementType(), facts, b.elementType(), requestedFacts);
    if (stored instanceof StructType a && requested instanceof StructType b) {
      for (int i = 0; i < Math.min(a.length(), b.length()); i++) {
        var unit = otherUnit(a.fields()[i], b.fields()[i]);
        if (unit.isPresent()) return unit;
      }
      return Optional.empty();
    }
    boolean areNumbers =
        stored instanceof TimeType && requested.equals(DataTypes.LongType) && facts.contains(TIME)
            && requestedFacts.contains(TIME);
    if (!areNumbers || facts.getString(TIME).equals(requestedFacts.getString(TIME))) return Optional.empty();
    return Optional.of(unit(facts, TIME));
  }

  private static DataType without(DataType type) {
    return switch (type) {
      case StructType struct ->
          new StructType(
              Arrays.stream(struct.fields())
                  .map(
                      part ->
                          new StructField(
                              part.name(), without(part.dataType()), part.nullable(), Metadata.empty()))
                  .toArray(StructField[]::new));
      case ArrayType array -> new ArrayType(without(array.elementType()), array.containsNull());
      default -> type;
    };
  }

  /** Merges the columns of two files that are equal for Spark; keeps metadata that both have. */
  public static StructType common(StructType first, StructType second) {
    var fields = first.fields().clone();
    for (int i = 0; i < fields.length; i++) {
      var here = fields[i];
      var there = second.fields()[i];
      var metadata = common(here.metadata(), there.metadata());
      fields[i] = new StructField(here.name(), common(here.dataType(), there.dataType()), here.nullable(), metadata);
    }
    return new StructType(fields);
  }

  /** The metadata of a column of two files: all of it if it is equal, otherwise the unit of a time of
   * day if that is.
   */
  public static Metadata common(Metadata first, Metadata second) {
    if (first.equals(second)) return first;
    boolean isOneUnit =
        first.contains(TIME) && second.contains(TIME) && first.getString(TIME).equals(second.getString(TIME));
    return isOneUnit ? new MetadataBuilder().putString(TIME, first.getString(TIME)).build() : Metadata.empty();
  }

  private static DataType common(DataType first, DataType second) {
    if (first instanceof StructType a && second instanceof StructType b) return common(a, b);
    if (first instanceof ArrayType a && second instanceof ArrayType b)
      return new ArrayType(common(a.elementType(), b.elementType()), a.containsNull());
    return first;
  }

  /** Columns that are appended to a folder: a column with the same Spark type, except for nulls,
   * takes the folder's stored type, and may be null if it may be in the folder.
   */
  public static StructType as(StructType folder, StructType columns) {
    var fields = columns.fields().clone();
    var names = List.of(folder.fieldNames());
    for (int i = 0; i < fields.length; i++) {
      var here = fields[i];
      if (!names.contains(here.name())) continue;
      var there = folder.fields()[names.indexOf(here.name())];
      boolean isAlike = innermost(here.dataType()).equals(innermost(there.dataType()));
      fields[i] =
          new StructField(
              here.name(), as(there.dataType(), here.dataType()), there.nullable(),
              isAlike ? there.metadata() : here.metadata());
    }
    return new StructType(fields);
  }

  private static DataType as(DataType folder, DataType type) {
    if (folder instanceof StructType a && type instanceof StructType b) return as(a, b);
    if (folder instanceof ArrayType a && type instanceof ArrayType b)
      return new ArrayType(as(a.elementType(), b.elementType()), b.containsNull());
    return type;
  }

  /** The type that decides whether the metadata of a column fits: structs have none of their own,
   * the elements of an array may be null or not, an interval may have any fields, and a time of day
   * may be a number.
   */
  private static DataType innermost(DataType type) {
    return switch (type) {
      case StructType _ -> new StructType();
      case ArrayType array -> new ArrayType(innermost(array.elementType()), false);
      case DayTimeIntervalType _ -> LogicalColumns.INTERVAL;
      case TimeType _ -> DataTypes.LongType;
      default -> type;
    };
  }
}

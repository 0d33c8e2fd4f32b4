package undercroft.spark.internal.vectors;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;
import undercroft.file.format.Type;

/** Enum cases by name: the numbers are read from the mapped file, the names are on the heap. */
public final class NameVector extends FieldVector {
  private final NumberVector numbers;
  private final List<UTF8String> names;
  private final ValueOrigin origin;

  /** @param cases case names by number
   */
  public NameVector(
      Type type, List<String> cases, ValueOrigin origin, MemorySegment data, ValueRange place, int rows,
      NumberVector sign, int number) {
    super(DataTypes.StringType, data, place, rows, sign, number);
    this.numbers = new NumberVector(type, data, place, rows, null, 0);
    this.names = names(cases);
    this.origin = origin;
  }

  public static List<UTF8String> names(List<String> cases) {
    return cases.stream().map(UTF8String::fromString).toList();
  }

  @Override
  public UTF8String getUTF8String(int row) {
    if (isNullAt(row)) return null;
    long number = numbers.whole(row);
    if (number < 0 || number >= names.size())
      throw new IllegalStateException(
          origin.words(row) + " is case " + Long.toUnsignedString(number) + ", but the enum has "
              + names.size() + " cases");
    return names.get((int) number);
  }
}

package undercroft.spark;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;
import undercroft.file.Type;

/** Cases of an enum by their names: the numbers are read where they lie, the names are on the heap. */
final class NameVector extends FieldVector {
  private final NumberVector numbers;
  private final List<UTF8String> names;
  private final Origin origin;

  /**
   * @param cases
   *     by their numbers
   */
  NameVector(
      Type type, List<String> cases, Origin origin, MemorySegment data, Place place, int rows,
      NumberVector sign, int number) {
    super(DataTypes.StringType, data, place, rows, sign, number);
    this.numbers = new NumberVector(type, data, place, rows, null, 0);
    this.names = names(cases);
    this.origin = origin;
  }

  static List<UTF8String> names(List<String> cases) {
    return cases.stream().map(UTF8String::fromString).toList();
  }

  @Override
  public UTF8String getUTF8String(int row) {
    if (isNullAt(row)) return null;
    long number = numbers.whole(row);
    if (number < 0 || number >= names.size())
      throw new IllegalStateException(
          origin.words(row) + " is case " + Long.toUnsignedString(number) + ", and there are " + names.size());
    return names.get((int) number);
  }
}

package undercroft.file.format;

import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The schema of a row: the name of its type, its fields with their offsets, the layout and the
 * byte order.
 *
 * @param stride bytes of a row; for columns, the sum over all columns
 */
public record Schema(String name, FileLayout layout, ByteOrder order, long stride, List<Field> fields) {

  /** The most bytes of a row in a file. */
  public static final long LONGEST_ROW = 1L << 30;

  public Schema {
    fields = List.copyOf(fields);
    if (stride < 1 || stride > LONGEST_ROW)
      throw new IllegalArgumentException(
          "stride must be from 1 to " + LONGEST_ROW + " bytes, but is " + stride);
    FieldChecks.checkPlaces(fields, stride, "a row");
    if (layout == FileLayout.COLUMNS) checkApart(leaves(fields));
  }

  /** Throws if columns overlap. Members of a union may share a column. */
  private static void checkApart(List<Leaf> leaves) {
    var sorted = new ArrayList<>(leaves);
    sorted.sort(Comparator.comparingInt(Leaf::offset));
    for (int i = 1; i < sorted.size(); i++) {
      var before = sorted.get(i - 1);
      var leaf = sorted.get(i);
      boolean isSameColumn =
          before.offset() == leaf.offset() && before.type().size() == leaf.type().size();
      if (!isSameColumn && leaf.offset() < before.offset() + before.type().size())
        throw new IllegalArgumentException(
            "the columns of " + before.dotted() + " and " + leaf.dotted() + " overlap");
    }
  }

  /** A value of a row, at any depth. It is `shared` if it is part of a union. */
  public record Leaf(List<String> path, int offset, Type type, boolean shared) {

    /** The path as a Scala expression would select it. */
    public String dotted() {
      return String.join(".", path);
    }
  }

  /** All values of a row, in the order of declaration. */
  public List<Leaf> leaves() {
    return leaves(fields);
  }

  /** All values of fields, in the order of declaration. */
  public static List<Leaf> leaves(List<Field> fields) {
    var leaves = new ArrayList<Leaf>();
    collect(fields, List.of(), false, leaves);
    return leaves;
  }

  private static void collect(List<Field> fields, List<String> path, boolean shared, List<Leaf> to) {
    for (var field : fields) {
      var inside = new ArrayList<>(path);
      if (!field.name().isEmpty()) inside.add(field.name());
      switch (field) {
        case Field.Leaf leaf ->
            to.add(new Leaf(List.copyOf(inside), leaf.offset(), leaf.type(), shared));
        case Field.Record record -> collect(record.fields(), inside, shared, to);
        case Field.Union union -> collect(union.members(), inside, true, to);
      }
    }
  }
}

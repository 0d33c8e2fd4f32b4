package undercroft.file.format;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;

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
    checkPlaces(fields, stride, "a row");
    if (layout == FileLayout.COLUMNS) checkApart(leaves(fields));
  }

  /** Throws if a value exceeds the `size` bytes of the enclosing type. */
  static void checkPlaces(List<Field> fields, long size, String of) {
    for (var leaf : leaves(fields)) {
      long end = (long) leaf.offset() + leaf.type().size();
      if (leaf.offset() < 0 || leaf.type().size() < 1 || end > size)
        throw new IllegalArgumentException(
            leaf.dotted() + " ends at " + end + " of " + of + " of " + size + " bytes");
    }
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

  static List<Leaf> leaves(List<Field> fields) {
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

  /** The sizes of the columns by their start, both in bytes per row of capacity. Rows count as a
   * single column.
   */
  TreeMap<Long, Long> columns() {
    var columns = new TreeMap<Long, Long>();
    if (layout != FileLayout.COLUMNS) columns.put(0L, stride);
    else for (var leaf : leaves()) columns.put((long) leaf.offset(), (long) leaf.type().size());
    return columns;
  }

  /** The capacity for which a file for `rows` rows is laid out: columns start at multiples of 64
   * bytes.
   */
  long capacity(long rows) {
    return layout == FileLayout.COLUMNS ? Math.multiplyExact(Math.ceilDiv(rows, 64L), 64L) : rows;
  }

  /** Bytes that `rows` rows occupy in the data of a file with this capacity. */
  long extent(long rows, long capacity) {
    if (rows == 0) return 0;
    if (layout != FileLayout.COLUMNS) return Math.multiplyExact(rows, stride);
    var last = columns().lastEntry();
    return Math.addExact(Math.multiplyExact(capacity, last.getKey()), rows * last.getValue());
  }

  /** The number of complete rows in the first `bytes` bytes of the data of a file with this
   * capacity.
   */
  long rows(long bytes, long capacity) {
    if (layout != FileLayout.COLUMNS) return bytes / stride;
    var last = columns().lastEntry();
    return Math.max(0, bytes - capacity * last.getKey()) / last.getValue();
  }

  /** The version of a file with this schema, so that a reader that does not know logical types
   * refuses the file.
   */
  int version() {
    return hasKinds(fields) ? Header.LOGICAL_VERSION : Header.PLAIN_VERSION;
  }

  /** The same schema without logical types. */
  public Schema withoutKinds() {
    return new Schema(
        name, layout, order, stride, fields.stream().map(TypeConversion::withoutKinds).toList());
  }

  private static boolean hasKinds(List<Field> fields) {
    return fields.stream()
        .anyMatch(
            field ->
                switch (field) {
                  case Field.Leaf leaf -> hasKinds(leaf.type());
                  case Field.Record record -> record.kind().isPresent() || hasKinds(record.fields());
                  case Field.Union union -> hasKinds(union.members());
                });
  }

  private static boolean hasKinds(Type type) {
    return switch (type) {
      case Type.Logical _ -> true;
      case Type.Elements elements -> hasKinds(elements.of());
      case Type.Struct struct -> hasKinds(struct.fields());
      default -> false;
    };
  }

  /** The encoded schema. */
  ByteBuffer bytes() {
    return SchemaCodec.written(this);
  }

  /** The first 8 bytes of the SHA-256 of the encoded schema, as a little-endian number. */
  public long hash() {
    try {
      var digest = MessageDigest.getInstance("SHA-256");
      digest.update(bytes());
      return ByteBuffer.wrap(digest.digest()).order(ByteOrder.LITTLE_ENDIAN).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}

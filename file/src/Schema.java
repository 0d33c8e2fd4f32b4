package undercroft.file;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;

/** What a row is: its type's name, its fields with their places, the layout and the byte order.
 *
 * @param stride
 *     bytes of a row; of columns, bytes of a row in all of them
 */
public record Schema(String name, Layout layout, ByteOrder order, long stride, List<Field> fields) {

  /** Bytes of the longest row that a file takes. */
  public static final long LONGEST_ROW = 1L << 30;

  public Schema {
    fields = List.copyOf(fields);
    if (stride < 1 || stride > LONGEST_ROW)
      throw new IllegalArgumentException("rows of " + stride + " bytes");
    checkPlaces(fields, stride, "a row");
    if (layout == Layout.COLUMNS) checkApart(leaves(fields));
  }

  /** Refuses values that are not within the `size` bytes of what they are in. */
  static void checkPlaces(List<Field> fields, long size, String of) {
    for (var leaf : leaves(fields)) {
      long end = (long) leaf.offset() + leaf.type().size();
      if (leaf.offset() < 0 || leaf.type().size() < 1 || end > size)
        throw new IllegalArgumentException(
            leaf.dotted() + " ends at " + end + " of " + of + " of " + size + " bytes");
    }
  }

  /** Refuses columns that overlap. Members of a union may share one. */
  private static void checkApart(List<Leaf> leaves) {
    var sorted = new ArrayList<>(leaves);
    sorted.sort(Comparator.comparingInt(Leaf::offset));
    for (int i = 1; i < sorted.size(); i++) {
      var before = sorted.get(i - 1);
      var leaf = sorted.get(i);
      boolean same = before.offset() == leaf.offset() && before.type().size() == leaf.type().size();
      if (!same && leaf.offset() < before.offset() + before.type().size())
        throw new IllegalArgumentException(
            "the columns of " + before.dotted() + " and " + leaf.dotted() + " overlap");
    }
  }

  /** A value of a row, however deep. One that is `shared` is part of a union. */
  public record Leaf(List<String> path, int offset, Type type, boolean shared) {

    /** Its name, as Scala would select it. */
    public String dotted() {
      return String.join(".", path);
    }
  }

  /** Every value of a row, in the order of declaration. */
  public List<Leaf> leaves() {
    return leaves(fields);
  }

  private static List<Leaf> leaves(List<Field> fields) {
    var found = new ArrayList<Leaf>();
    collect(fields, List.of(), false, found);
    return found;
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

  /** The sizes of the columns by where they start, in bytes for each row of capacity. Of rows, one
   * column that is the row.
   */
  TreeMap<Long, Long> columns() {
    var columns = new TreeMap<Long, Long>();
    if (layout != Layout.COLUMNS) columns.put(0L, stride);
    else for (var leaf : leaves()) columns.put((long) leaf.offset(), (long) leaf.type().size());
    return columns;
  }

  /** As many rows as a file for `rows` of them is laid out for: columns start at multiples of 64
   * bytes.
   */
  long capacity(long rows) {
    return layout == Layout.COLUMNS ? Math.multiplyExact(Math.ceilDiv(rows, 64L), 64L) : rows;
  }

  /** Bytes that `rows` rows reach to, in the data of a file laid out for `capacity`. */
  long extent(long rows, long capacity) {
    if (rows == 0) return 0;
    if (layout != Layout.COLUMNS) return Math.multiplyExact(rows, stride);
    var last = columns().lastEntry();
    return Math.addExact(Math.multiplyExact(capacity, last.getKey()), rows * last.getValue());
  }

  /** The bytes that stand for it in a file. */
  ByteBuffer bytes() {
    return SchemaBytes.written(this);
  }

  /** The first 8 bytes of the SHA-256 of its bytes, the first byte lowest. */
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

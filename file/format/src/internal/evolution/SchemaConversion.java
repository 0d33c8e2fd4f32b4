package undercroft.file.format.internal.evolution;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import undercroft.file.format.ErrorKind;
import undercroft.file.format.Evolution;
import undercroft.file.format.Field;
import undercroft.file.format.FileLayout;
import undercroft.file.format.Schema;
import undercroft.file.format.StructFile;
import undercroft.file.format.StructFileException;
import undercroft.file.format.internal.metadata.Header;
import undercroft.file.format.internal.schema.AbsentCase;
import undercroft.file.format.internal.schema.TypeConversion;

/** Schema evolution: converts rows of one schema to another. Fields and enum cases are matched by name
 * or former name. Fields may be reordered, added (with their default values or zero) and widened, and
 * may become an Option, which then has each row's value, as may the elements of arrays. Enums may gain
 * cases at their end. A projection may have fewer fields than the file, and fewer enum cases. Any other
 * difference is a {@link ErrorKind#WRONG_SCHEMA} that names the field, as is a row with an enum case
 * that a projection does not have.
 */
public final class SchemaConversion {
  private final Path file;
  private final Schema from;
  private final Schema to;
  private final List<SchemaMatch.Move> moves;
  private final boolean isRenamed;
  private final boolean isReshaped;
  private final boolean isRetyped;
  private final boolean isPart;

  private SchemaConversion(Path file, Schema from, Schema to, SchemaMatch match) {
    this.file = file;
    this.from = from;
    this.to = to;
    this.moves = List.copyOf(match.moves);
    this.isRenamed = match.isRenamed;
    this.isReshaped = match.isReshaped;
    this.isRetyped = match.isRetyped;
    this.isPart = match.isPart;
  }

  /** The conversion from a file's schema to another one. */
  public static SchemaConversion of(StructFile file, Schema to) {
    return of(file, to, Evolution.NONE);
  }

  /** The conversion from a file's schema to that of a class. */
  public static SchemaConversion of(StructFile file, Schema to, Evolution evolution) {
    return of(file.path(), file.hasDimensions(), file.schema(), to, false, evolution);
  }

  /** The conversion between two schemas; errors name `file`. */
  public static SchemaConversion of(Path file, Schema from, Schema to) {
    return of(file, true, from, to, false, Evolution.NONE);
  }

  /** The conversion from a file's schema to that of a class that reads all fields of its records, or
   * a part of them. A record that lacks a field of the class must not have another one: it may be
   * the same field under a former name.
   */
  public static SchemaConversion projection(StructFile file, Schema to, Evolution evolution) {
    return of(file.path(), file.hasDimensions(), file.schema(), to, true, evolution);
  }

  /** The conversion of rows that are not mapped; errors name `file`.
   *
   * @param isProjection whether the class may have a part of the fields
   */
  public static SchemaConversion of(
      Path file, Schema from, Schema to, boolean isProjection, Evolution evolution) {
    return of(file, true, from, to, isProjection, evolution);
  }

  private static SchemaConversion of(
      Path file, boolean hasDimensions, Schema from, Schema to, boolean isProjection, Evolution evolution) {
    var match = new SchemaMatch(hasDimensions, isProjection, evolution);
    if (from.layout() != to.layout())
      match.wrong.add("its layout is " + from.layout() + "; expected " + to.layout());
    if (!from.order().equals(to.order()))
      match.wrong.add("its byte order is " + from.order() + "; expected " + to.order());
    match.run(from.fields(), to.fields());
    if (!match.wrong.isEmpty())
      throw new StructFileException(
          file, Header.SCHEMA_AT, ErrorKind.WRONG_SCHEMA, String.join("; ", match.wrong));
    return new SchemaConversion(file, from, to, match);
  }

  /** Whether both schemas are equal: all fields have the same names, offsets and types. */
  public boolean isIdentity() {
    return keepsPlaces()
        && !isRenamed
        && !isReshaped
        && !isRetyped
        && moves.stream().allMatch(move -> move.from().type().equals(move.to().type()));
  }

  /** Whether a field or an enum case has another name in the file. */
  public boolean isRenamed() {
    return isRenamed;
  }

  /** Whether the stored bytes are the same: the only difference is that enums may have more cases,
   * and that fields and cases may have other names.
   */
  public boolean movesNothing() {
    return keepsPlaces()
        && moves.stream().allMatch(move -> TypeConversion.sameBytes(move.from().type(), move.to().type()));
  }

  private boolean keepsPlaces() {
    return from.stride() == to.stride()
        && !isPart
        && moves.size() == to.leaves().size()
        && moves.stream()
            .allMatch(move -> move.constant() == null && move.from().offset() == move.to().offset());
  }

  /** The offsets of the values that are read from the file, by which blocks are compared with their
   * checksums.
   */
  public int[] offsets() {
    var offsets = new TreeSet<Integer>();
    for (var move : moves) {
      if (move.constant() == null) offsets.add(move.from().offset());
      for (var condition : move.when())
        if (condition.constant() == null) offsets.add(condition.tag().offset());
    }
    return offsets.stream().mapToInt(Integer::intValue).toArray();
  }

  /** Converts `rows` rows. Added fields without a default value are not written: the target must be
   * zero.
   */
  public void run(
      MemorySegment source, long sourceCapacity, MemorySegment target, long targetCapacity, long rows) {
    run(source, sourceCapacity, target, targetCapacity, 0, rows, 0);
  }

  /** Converts `rows` rows to those of the target from `firstRow` on.
   *
   * @param number the number of the first row in the file, for errors
   */
  public void run(
      MemorySegment source, long sourceCapacity, MemorySegment target, long targetCapacity, long firstRow,
      long rows, long number) {
    // The offsets of columns are outside of a file without rows.
    if (rows == 0) return;
    if (from.layout() != FileLayout.COLUMNS && movesNothing()) {
      MemorySegment.copy(source, 0, target, firstRow * to.stride(), rows * to.stride());
      return;
    }
    for (var move : moves) {
      boolean isConstant = move.constant() != null;
      long read = isConstant ? move.from().offset() : place(from, move.from(), sourceCapacity);
      long readStep = isConstant ? 0 : step(from, move.from());
      long writeStep = step(to, move.to());
      long write = place(to, move.to(), targetCapacity) + firstRow * writeStep;
      if (isWholeColumn(move)) MemorySegment.copy(source, read, target, write, rows * readStep);
      else {
        long row = 0;
        try {
          for (; row < rows; row++) {
            if (holds(move, source, sourceCapacity, row))
              move(move, source, read + row * readStep, target, write + row * writeStep);
          }
        } catch (AbsentCase absent) {
          throw new StructFileException(
              file, Header.SCHEMA_AT, absent.kind,
              "row " + (number + row) + ": field " + move.path() + " " + absent.getMessage());
        }
      }
    }
  }

  /** Whether a column is copied as it is. */
  private boolean isWholeColumn(SchemaMatch.Move move) {
    return from.layout() == FileLayout.COLUMNS
        && move.constant() == null
        && move.when().isEmpty()
        && move.from().type().equals(move.to().type());
  }

  private boolean holds(SchemaMatch.Move move, MemorySegment source, long capacity, long row) {
    for (var condition : move.when()) {
      long at = place(from, condition.tag(), capacity) + row * step(from, condition.tag());
      if (!condition.holds(source, at, from.order())) return false;
    }
    return true;
  }

  private void move(
      SchemaMatch.Move move, MemorySegment source, long read, MemorySegment target, long write) {
    boolean isConstant = move.constant() != null;
    var bytes = isConstant ? move.constant() : source;
    var order = isConstant ? ByteOrder.nativeOrder() : from.order();
    if (move.elements() == null)
      TypeConversion.copy(bytes, read, move.from().type(), order, target, write, move.to().type(), to.order());
    else {
      var stored = ArrayElements.of(move.from().type());
      int wide = ArrayElements.of(move.to().type()).of().size();
      for (int i = 0; i < stored.count(); i++)
        element(move.elements(), bytes, read + (long) i * stored.of().size(), target, write + (long) i * wide);
    }
  }

  /** Converts an element of an array. */
  private void element(
      List<SchemaMatch.Move> moves, MemorySegment source, long read, MemorySegment target, long write) {
    for (var move : moves) {
      boolean holds = true;
      for (var condition : move.when())
        holds &= condition.holds(source, read + condition.tag().offset(), from.order());
      long at = move.constant() == null ? read : 0;
      if (holds) move(move, source, at + move.from().offset(), target, write + move.to().offset());
    }
  }

  private static long place(Schema schema, Field.Leaf leaf, long capacity) {
    return schema.layout() == FileLayout.COLUMNS ? capacity * leaf.offset() : leaf.offset();
  }

  private static long step(Schema schema, Field.Leaf leaf) {
    return schema.layout() == FileLayout.COLUMNS ? leaf.type().size() : schema.stride();
  }
}

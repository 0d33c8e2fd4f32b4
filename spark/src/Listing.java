package undercroft.spark;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import undercroft.file.Field;
import undercroft.file.Schema;
import undercroft.file.Type;

/** The struct files that are read together: each of them was opened, and all have the same columns. */
record Listing(List<Entry> entries, StructType columns, Configuration conf) {

  /** @param schema where its rows have what */
  record Entry(Source source, Schema schema) {}

  /** Opens the files that options name. What is wrong with one of them is an error that names it. */
  static Listing of(CaseInsensitiveStringMap options) {
    var conf = Asked.hadoop(options);
    var entries = new ArrayList<Entry>();
    StructType columns = null;
    for (var path : Folder.files(Asked.paths(options), conf)) {
      try (var opened = Opened.open(path, conf)) {
        var entry = new Entry(Source.of(path, opened), opened.file().schema());
        var here = Part.columns(entry.schema.fields());
        if (columns == null) columns = here;
        else Source.same(entry.source.path(), here, entries.getFirst().source.path(), columns);
        columns = Kept.common(columns, here);
        entries.add(entry);
      }
    }
    return new Listing(List.copyOf(entries), columns, conf);
  }

  /** Refuses columns that were asked for and are not there as such. */
  void check(StructType asked) {
    for (var column : asked.fields()) {
      var file = entries.getFirst().source.path();
      var names = List.of(columns.fieldNames());
      if (!names.contains(column.name()))
        throw new IllegalArgumentException(
            file + ": no column " + column.name() + "; there are " + String.join(", ", names));
      var there = columns.fields()[names.indexOf(column.name())];
      if (!Kept.same(there.dataType(), column.dataType()))
        throw new IllegalArgumentException(
            file + ": column " + column.name() + " is of type " + there.dataType().sql() + ", and "
                + column.dataType().sql() + " was asked for");
    }
  }

  long rows() {
    return entries.stream().mapToLong(entry -> entry.source.rows()).sum();
  }

  /** The value that a column of numbers or of cases is, if it is one that blocks have ranges of which
   * are in Spark's order.
   *
   * @param names
   *     of the column, and of what is inside of it
   */
  static Optional<Schema.Leaf> ranged(Schema schema, String[] names) {
    var parts = Part.of(schema.fields());
    var dotted = new StringBuilder();
    for (int i = 0; i < names.length; i++) {
      var name = names[i];
      var part = parts.stream().filter(one -> one.name().equals(name)).findFirst();
      if (part.isEmpty()) return Optional.empty();
      dotted.append(i == 0 ? "" : ".").append(name);
      if (part.get().number() == Part.DEFINED) dotted.append(".get");
      if (i < names.length - 1) {
        if (part.get().field() instanceof Field.Leaf) return Optional.empty();
        parts = Part.inside(part.get().field());
      }
    }
    return schema.leaves().stream()
        .filter(leaf -> leaf.dotted().contentEquals(dotted) && !leaf.shared() && isNumber(leaf.type()))
        .findFirst();
  }

  private static boolean isNumber(Type type) {
    return switch (type) {
      case Type.Primitive _ -> true;
      // Without names it is an int of Spark, which has a sign, and the range has none.
      case Type.Ordinal ordinal -> ordinal.size() != 4 || !ordinal.cases().isEmpty();
      case Type.BigEndian big -> isNumber(big.of());
      default -> false;
    };
  }
}

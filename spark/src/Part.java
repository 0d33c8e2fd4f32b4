package undercroft.spark;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import undercroft.file.Field;
import undercroft.file.Type;

/** A part of a row as Spark sees it: a field, without what only says whether it is there.
 *
 * @param field
 *     what is read where the part is there: of an Option its `get`
 * @param sign
 *     the value that tells whether the part is there, or null where it always is
 * @param number
 *     what `sign` is where the part is there, or {@link #DEFINED}
 */
record Part(String name, Field field, Field.Leaf sign, int number) {

  /** Stands for a sign that is true where the part is there. */
  static final int DEFINED = -1;

  /** The parts of a row or a record, in the order of declaration. Fields without a name lend theirs
   * to what is around them; the cases of an enum are parts that may be absent, after its `tag`.
   */
  static List<Part> of(List<Field> fields) {
    var parts = new ArrayList<Part>();
    Field.Leaf tag = null;
    for (var field : fields) {
      switch (field) {
        case Field.Leaf leaf -> {
          if (leaf.name().equals("tag")) tag = leaf;
          parts.add(always(leaf));
        }
        case Field.Record record when record.name().isEmpty() -> parts.addAll(of(record.fields()));
        case Field.Record record when optional(record) ->
            parts.add(
                new Part(
                    record.name(), record.fields().get(1), (Field.Leaf) record.fields().get(0), DEFINED));
        case Field.Record record -> parts.add(always(record));
        case Field.Union union when union.name().isEmpty() -> {
          if (tag != null && parts.getLast().field() == tag) {
            tag = named(tag, union);
            parts.set(parts.size() - 1, always(tag));
          }
          int number = 0;
          for (var member : union.members()) {
            if (!isEmpty(member)) parts.add(new Part(member.name(), member, tag, number));
            number++;
          }
        }
        case Field.Union union -> parts.add(always(union));
      }
    }
    return parts;
  }

  /** A tag whose cases have the names of what they hold, where it does not name them itself. */
  private static Field.Leaf named(Field.Leaf tag, Field.Union union) {
    if (!(tag.type() instanceof Type.Ordinal ordinal) || !ordinal.cases().isEmpty()) return tag;
    var names = union.members().stream().map(Field::name).toList();
    return new Field.Leaf(tag.name(), tag.offset(), new Type.Ordinal(ordinal.of(), names));
  }

  private static Part always(Field field) {
    return new Part(field.name(), field, null, 0);
  }

  private static boolean optional(Field.Record record) {
    return record.fields().size() == 2
        && record.fields().get(0) instanceof Field.Leaf sign
        && sign.name().equals("isDefined")
        && sign.type() == Type.Primitive.BOOLEAN
        && record.fields().get(1).name().equals("get");
  }

  /** A case without fields is told by the tag alone. */
  private static boolean isEmpty(Field field) {
    return field instanceof Field.Record record && of(record.fields()).isEmpty();
  }

  boolean nullable() {
    return sign != null;
  }

  StructField column() {
    var kept = field instanceof Field.Leaf leaf ? Kept.of(leaf.type()) : Metadata.empty();
    return new StructField(name, type(field), nullable(), kept);
  }

  /** What is inside of the part, where that is more than one value. */
  static List<Part> inside(Field field) {
    return switch (field) {
      case Field.Record record -> of(record.fields());
      case Field.Union union -> of(union.members());
      case Field.Leaf leaf when leaf.type() instanceof Type.Struct struct -> of(struct.fields());
      case Field.Leaf leaf -> throw new IllegalArgumentException(leaf.name() + " has no parts");
    };
  }

  /** The columns of a file whose rows have these fields. */
  static StructType columns(List<Field> fields) {
    return new StructType(of(fields).stream().map(Part::column).toArray(StructField[]::new));
  }

  private static DataType type(Field field) {
    return switch (field) {
      case Field.Leaf leaf -> type(leaf.type());
      case Field.Record record -> columns(record.fields());
      case Field.Union union -> columns(union.members());
    };
  }

  /** Spark's type of a value. A Char has no sign, and Spark no such type; so has an enum's number where
   * its file does not name the cases.
   */
  static DataType type(Type type) {
    return switch (type) {
      case Type.Primitive primitive ->
          switch (primitive) {
            case BOOLEAN -> DataTypes.BooleanType;
            case BYTE -> DataTypes.ByteType;
            case SHORT -> DataTypes.ShortType;
            case CHAR, INT -> DataTypes.IntegerType;
            case LONG -> DataTypes.LongType;
            case FLOAT -> DataTypes.FloatType;
            case DOUBLE -> DataTypes.DoubleType;
          };
      case Type.Text _ -> DataTypes.StringType;
      case Type.Elements elements -> DataTypes.createArrayType(type(elements.of()), false);
      case Type.Ordinal ordinal when !ordinal.cases().isEmpty() -> DataTypes.StringType;
      case Type.Ordinal ordinal ->
          ordinal.size() == 8 ? DataTypes.LongType : DataTypes.IntegerType;
      case Type.BigEndian big -> type(big.of());
      case Type.Struct struct -> columns(struct.fields());
    };
  }
}

package undercroft.spark.internal.columns;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import undercroft.file.format.Field;
import undercroft.file.format.Type;

/** A column or nested field as Spark sees it: a field without its presence indicator.
 *
 * @param field the field that is read if the part is present; the `get` of an Option
 * @param sign the value that indicates presence, or null if the part is always present
 * @param number the value of `sign` if the part is present, or {@link #DEFINED}
 */
public record NullableField(String name, Field field, Field.Leaf sign, int number) {

  /** The `number` of an Option: the part is present if `sign` is true. */
  public static final int DEFINED = -1;

  /** The parts of a row or a record, in the order of declaration. The parts of an unnamed field
   * belong to the enclosing record; the cases of an enum are nullable parts after its `tag`.
   */
  public static List<NullableField> of(List<Field> fields) {
    var parts = new ArrayList<NullableField>();
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
                new NullableField(
                    record.name(), record.fields().get(1), (Field.Leaf) record.fields().get(0), DEFINED));
        case Field.Record record -> parts.add(always(record));
        case Field.Union union when union.name().isEmpty() -> {
          if (tag != null && parts.getLast().field() == tag) {
            tag = named(tag, union);
            parts.set(parts.size() - 1, always(tag));
          }
          int number = 0;
          for (var member : union.members()) {
            if (!isEmpty(member)) parts.add(new NullableField(member.name(), member, tag, number));
            number++;
          }
        }
        case Field.Union union -> parts.add(always(union));
      }
    }
    return parts;
  }

  /** A tag with the names of the union's members as case names, unless it has its own. */
  private static Field.Leaf named(Field.Leaf tag, Field.Union union) {
    if (!(tag.type() instanceof Type.Ordinal ordinal) || !ordinal.cases().isEmpty()) return tag;
    var names = union.members().stream().map(Field::name).toList();
    return new Field.Leaf(tag.name(), tag.offset(), new Type.Ordinal(ordinal.of(), names));
  }

  private static NullableField always(Field field) {
    return new NullableField(field.name(), field, null, 0);
  }

  private static boolean optional(Field.Record record) {
    return record.typeName().equals("Option")
        && record.fields().size() == 2
        && record.fields().get(0) instanceof Field.Leaf sign
        && sign.name().equals("isDefined")
        && sign.type() == Type.Primitive.BOOLEAN
        && record.fields().get(1).name().equals("get");
  }

  /** Whether a case has no fields: its tag represents it. */
  private static boolean isEmpty(Field field) {
    return field instanceof Field.Record record && of(record.fields()).isEmpty();
  }

  public boolean nullable() {
    return sign != null;
  }

  public StructField column() {
    var metadata =
        switch (field) {
          case Field.Leaf leaf -> ColumnMetadata.of(leaf.type());
          case Field.Record record -> record.kind().map(ColumnMetadata::ofFields).orElse(Metadata.empty());
          case Field.Union _ -> Metadata.empty();
        };
    return new StructField(name, type(field), nullable(), metadata);
  }

  /** The nested parts of a field; throws if it is a single value. */
  public static List<NullableField> inside(Field field) {
    return switch (field) {
      case Field.Record record -> of(record.fields());
      case Field.Union union -> of(union.members());
      case Field.Leaf leaf when leaf.type().physical() instanceof Type.Struct struct -> of(struct.fields());
      case Field.Leaf leaf -> throw new IllegalArgumentException(leaf.name() + " has no parts");
    };
  }

  /** The columns of a file with these fields. */
  public static StructType columns(List<Field> fields) {
    return new StructType(of(fields).stream().map(NullableField::column).toArray(StructField[]::new));
  }

  private static DataType type(Field field) {
    return switch (field) {
      case Field.Leaf leaf -> type(leaf.type());
      case Field.Record record -> {
        var dataType = record.kind().map(LogicalColumns::type).orElse(null);
        yield dataType == null ? columns(record.fields()) : dataType;
      }
      case Field.Union union -> columns(union.members());
    };
  }

  /** Spark's type of a value. Spark has no unsigned types: a Char, and an enum's number if the file
   * has no case names, become a wider or equally wide signed type.
   */
  public static DataType type(Type type) {
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
      case Type.Logical logical -> {
        var dataType = LogicalColumns.type(logical.kind());
        yield dataType == null ? type(logical.of()) : dataType;
      }
      case Type.Struct struct -> columns(struct.fields());
    };
  }
}

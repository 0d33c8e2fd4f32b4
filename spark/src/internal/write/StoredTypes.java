package undercroft.spark.internal.write;

import java.util.List;
import java.util.Optional;
import undercroft.file.format.Field;
import undercroft.file.format.LogicalKind;
import undercroft.file.format.Type;
import undercroft.spark.internal.columns.NullableField;
import undercroft.spark.internal.folder.StructFileIndex;

/** Compares the stored types of columns that are written to a folder with those of its files. Spark
 * has one type for several stored types, and files with different ones are not one table for other
 * readers.
 */
public final class StoredTypes {
  private StoredTypes() {}

  /** Throws IllegalArgumentException, with the column and both types, if a column would be stored as
   * another type than in each file that has it.
   */
  public static void check(List<Field> written, List<StructFileIndex.Entry> files) {
    for (var part : NullableField.of(written)) {
      Optional<String> first = Optional.empty();
      boolean isEqual = false;
      for (var file : files) {
        var present = part(file.schema().fields(), part.name());
        if (present.isEmpty()) continue;
        var difference =
            isEnum(file.schema().fields())
                ? Optional.of(difference(part.name(), words(part.field()), "a part of an enum with fields"))
                : difference(part.name(), part.field(), present.get().field());
        isEqual |= difference.isEmpty();
        if (first.isEmpty())
          first = difference.map(words -> "the data: " + words + " in " + file.source().path() + advice(part.field()));
      }
      if (!isEqual && first.isPresent()) throw new IllegalArgumentException(first.get());
    }
  }

  private static String advice(Field written) {
    return written instanceof Field.Leaf leaf && leaf.type() instanceof Type.Text
        ? ": remove the options textBytes and enums of this column, or write to a new folder"
        : ": write to a new folder";
  }

  private static Optional<NullableField> part(List<Field> fields, String name) {
    return NullableField.of(fields).stream().filter(part -> part.name().equals(name)).findFirst();
  }

  /** The first difference of two stored types. */
  private static Optional<String> difference(String path, Field written, Field present) {
    if (!form(written).equals(form(present))) return Optional.of(difference(path, words(written), words(present)));
    if (elements(written).isPresent() && elements(present).isPresent())
      return difference(path + ".element", elements(written).get(), elements(present).get());
    for (var part : parts(written)) {
      var other = part(fields(present), part.name());
      var found = other.flatMap(here -> difference(path + "." + part.name(), part.field(), here.field()));
      if (found.isPresent()) return found;
    }
    return Optional.empty();
  }

  private static String difference(String path, String written, String present) {
    return "column " + path + " would be stored as " + written + ", but is stored as " + present;
  }

  /** The elements of an array as a field. */
  private static Optional<Field> elements(Field field) {
    return field instanceof Field.Leaf leaf && leaf.type().physical() instanceof Type.Elements array
        ? Optional.of(new Field.Leaf(leaf.name(), leaf.offset(), array.of()))
        : Optional.empty();
  }

  private static List<NullableField> parts(Field field) {
    return NullableField.of(fields(field));
  }

  /** The fields of a struct, and none of a single value. */
  private static List<Field> fields(Field field) {
    return switch (field) {
      case Field.Record record -> record.fields();
      case Field.Union union -> union.members();
      case Field.Leaf leaf when leaf.type().physical() instanceof Type.Struct struct -> struct.fields();
      case Field.Leaf _ -> List.of();
    };
  }

  private static Optional<LogicalKind> kind(Field field) {
    return switch (field) {
      case Field.Record record -> record.kind();
      case Field.Leaf leaf when leaf.type() instanceof Type.Logical logical -> Optional.of(logical.kind());
      case Field.Leaf _, Field.Union _ -> Optional.empty();
    };
  }

  private static boolean isEnum(List<Field> fields) {
    return fields.size() > 1 && fields.stream().anyMatch(StoredTypes::isUnnamedUnion);
  }

  private static boolean isUnnamedUnion(Field field) {
    return field instanceof Field.Union union && union.name().isEmpty();
  }

  /** The part of a stored type that all files of a folder have in common: not the sizes of texts, the
   * lengths of arrays and the cases of enums.
   */
  private record Form(Optional<LogicalKind> kind, String words) {}

  private static Form form(Field field) {
    return new Form(kind(field), formWords(field));
  }

  private static String formWords(Field field) {
    var fields = fields(field);
    if (isEnum(fields)) return "an enum with fields";
    if (field instanceof Field.Union || fields.stream().anyMatch(StoredTypes::isUnnamedUnion)) return "a union";
    if (!(field instanceof Field.Leaf leaf) || leaf.type().physical() instanceof Type.Struct) return "a struct";
    var stored = leaf.type().physical();
    return switch (stored instanceof Type.BigEndian big ? big.of() : stored) {
      case Type.Text _ -> "a text";
      case Type.Ordinal _ -> "an enum";
      case Type.Elements _ -> "an array";
      case Type.Primitive.CHAR -> "a Char";
      case Type type -> NullableField.type(type).sql();
    };
  }

  private static String words(Field field) {
    var bits = field instanceof Field.Leaf leaf && leaf.type().size() == Long.BYTES ? " of 64 bits" : " of 128 bits";
    return kind(field)
        .map(kind -> kind.description() + (kind instanceof LogicalKind.Decimal ? bits : ""))
        .orElse(formWords(field));
  }
}

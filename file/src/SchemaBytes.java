package undercroft.file;

import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** A schema as bytes, as docs/format.md says. Numbers have their lowest byte first. */
final class SchemaBytes {

  /** How deep types and fields nest at the most: a file may say anything. */
  private static final int DEEPEST = 64;

  private static final int LEAF = 0;
  private static final int RECORD = 1;
  private static final int UNION = 2;

  private static final int TEXT = 9;
  private static final int ELEMENTS = 10;
  private static final int ORDINAL = 11;
  private static final int BIG_ENDIAN = 12;
  private static final int STRUCT = 13;

  /** What the number of an enum's case is stored as. */
  private static final Set<Type.Primitive> ORDINALS =
      EnumSet.range(Type.Primitive.BYTE, Type.Primitive.LONG);

  private SchemaBytes() {}

  static ByteBuffer written(Schema schema) {
    var out = new ByteArrayOutputStream();
    putText(out, schema.name());
    putFields(out, schema.fields());
    return ByteBuffer.wrap(out.toByteArray());
  }

  private static void putFields(ByteArrayOutputStream out, List<Field> fields) {
    putInt(out, fields.size());
    for (var field : fields) {
      switch (field) {
        case Field.Leaf leaf -> {
          out.write(LEAF);
          putText(out, leaf.name());
          putInt(out, leaf.offset());
          putType(out, leaf.type());
        }
        case Field.Record record -> {
          out.write(RECORD);
          putText(out, record.name());
          putText(out, record.typeName());
          putFields(out, record.fields());
        }
        case Field.Union union -> {
          out.write(UNION);
          putText(out, union.name());
          putText(out, union.typeName());
          putFields(out, union.members());
        }
      }
    }
  }

  private static void putType(ByteArrayOutputStream out, Type type) {
    switch (type) {
      case Type.Primitive primitive -> out.write(primitive.ordinal() + 1);
      case Type.Text text -> {
        out.write(TEXT);
        putInt(out, text.size());
      }
      case Type.Elements elements -> {
        out.write(ELEMENTS);
        putInt(out, elements.count());
        putType(out, elements.of());
      }
      case Type.Ordinal ordinal -> {
        out.write(ORDINAL);
        putType(out, ordinal.of());
        putInt(out, ordinal.cases().size());
        for (var name : ordinal.cases()) putText(out, name);
      }
      case Type.BigEndian big -> {
        out.write(BIG_ENDIAN);
        putType(out, big.of());
      }
      case Type.Struct struct -> {
        out.write(STRUCT);
        putText(out, struct.name());
        putInt(out, struct.size());
        putFields(out, struct.fields());
      }
    }
  }

  private static void putInt(ByteArrayOutputStream out, int value) {
    for (int shift = 0; shift < 32; shift += 8) out.write(value >>> shift);
  }

  private static void putText(ByteArrayOutputStream out, String text) {
    var bytes = text.getBytes(StandardCharsets.UTF_8);
    putInt(out, bytes.length);
    out.writeBytes(bytes);
  }

  /** The schema that bytes stand for; an IllegalArgumentException where they stand for none. */
  static Schema read(ByteBuffer bytes, Layout layout, ByteOrder order, long stride) {
    bytes.order(ByteOrder.LITTLE_ENDIAN);
    try {
      var name = text(bytes);
      var fields = fields(bytes, 0);
      if (bytes.hasRemaining())
        throw new IllegalArgumentException(bytes.remaining() + " bytes behind the schema");
      return new Schema(name, layout, order, stride, fields);
    } catch (BufferUnderflowException e) {
      throw new IllegalArgumentException("the schema ends too early", e);
    }
  }

  private static List<Field> fields(ByteBuffer in, int depth) {
    if (depth > DEEPEST) throw new IllegalArgumentException("fields nest deeper than " + DEEPEST);
    int count = count(in);
    var fields = new ArrayList<Field>(); // of a count that the file only says
    for (int i = 0; i < count; i++) {
      int what = in.get();
      var name = text(in);
      fields.add(
          switch (what) {
            case LEAF -> new Field.Leaf(name, in.getInt(), type(in, depth));
            case RECORD -> new Field.Record(name, text(in), fields(in, depth + 1));
            case UNION -> new Field.Union(name, text(in), fields(in, depth + 1));
            default -> throw new IllegalArgumentException("a field of sort " + what);
          });
    }
    return fields;
  }

  private static Type type(ByteBuffer in, int depth) {
    if (depth > DEEPEST) throw new IllegalArgumentException("types nest deeper than " + DEEPEST);
    int code = in.get();
    return switch (code) {
      case TEXT -> new Type.Text(size(in.getInt()));
      case ELEMENTS -> {
        int count = size(in.getInt());
        var of = type(in, depth + 1);
        size((long) of.size() * count);
        yield new Type.Elements(of, count);
      }
      case ORDINAL -> {
        if (!(type(in, depth + 1) instanceof Type.Primitive of) || !ORDINALS.contains(of))
          throw new IllegalArgumentException("an enum's number that is no whole number");
        int count = count(in);
        var cases = new ArrayList<String>();
        for (int i = 0; i < count; i++) cases.add(text(in));
        yield new Type.Ordinal(of, cases);
      }
      case BIG_ENDIAN -> new Type.BigEndian(type(in, depth + 1));
      case STRUCT -> new Type.Struct(text(in), size(in.getInt()), fields(in, depth + 1));
      default -> {
        var primitives = Type.Primitive.values();
        if (code < 1 || code > primitives.length)
          throw new IllegalArgumentException("a type of code " + code);
        yield primitives[code - 1];
      }
    };
  }

  private static int size(long size) {
    if (size < 1 || size > Schema.LONGEST_ROW)
      throw new IllegalArgumentException("a value of " + size + " bytes or elements");
    return (int) size;
  }

  /** A number of things that follow, each of a byte at least. */
  private static int count(ByteBuffer in) {
    int count = in.getInt();
    if (count < 0 || count > in.remaining())
      throw new IllegalArgumentException(count + " of " + in.remaining() + " bytes that are left");
    return count;
  }

  private static String text(ByteBuffer in) {
    var bytes = new byte[count(in)];
    in.get(bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }
}

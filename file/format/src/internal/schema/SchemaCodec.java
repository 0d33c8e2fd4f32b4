package undercroft.file.format.internal.schema;

import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import undercroft.file.format.Field;
import undercroft.file.format.FileLayout;
import undercroft.file.format.Schema;
import undercroft.file.format.Type;

/** Encodes schemas as defined in docs/format.md. Integers are little-endian. */
public final class SchemaCodec {

  /** The deepest nesting of types and fields, because files are untrusted. */
  private static final int DEEPEST = 64;

  private static final int LEAF = 0;
  private static final int RECORD = 1;
  private static final int UNION = 2;
  private static final int LOGICAL_RECORD = 3;

  private static final int TEXT = 9;
  private static final int ELEMENTS = 10;
  private static final int ORDINAL = 11;
  private static final int BIG_ENDIAN = 12;
  private static final int STRUCT = 13;
  private static final int LOGICAL = 14;

  /** The types that store the number of an enum's case. */
  private static final Set<Type.Primitive> ORDINALS =
      EnumSet.range(Type.Primitive.BYTE, Type.Primitive.LONG);

  private SchemaCodec() {}

  public static ByteBuffer written(Schema schema) {
    var out = new ByteArrayOutputStream();
    putText(out, schema.name());
    putFields(out, schema.fields());
    return ByteBuffer.wrap(out.toByteArray());
  }

  /** The first 8 bytes of the SHA-256 of the encoded schema, as a little-endian number. */
  public static long hash(Schema schema) {
    try {
      var digest = MessageDigest.getInstance("SHA-256").digest(written(schema).array());
      return ByteBuffer.wrap(digest).order(ByteOrder.LITTLE_ENDIAN).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
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
          out.write(record.kind().isPresent() ? LOGICAL_RECORD : RECORD);
          putText(out, record.name());
          record.kind().ifPresent(kind -> LogicalKindCodec.put(out, kind));
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
      case Type.Logical logical -> {
        out.write(LOGICAL);
        LogicalKindCodec.put(out, logical.kind());
        putType(out, logical.of());
      }
      case Type.Struct struct -> {
        out.write(STRUCT);
        putText(out, struct.name());
        putInt(out, struct.size());
        putFields(out, struct.fields());
      }
    }
  }

  public static void putInt(ByteArrayOutputStream out, int value) {
    for (int shift = 0; shift < 32; shift += 8) out.write(value >>> shift);
  }

  public static void putText(ByteArrayOutputStream out, String text) {
    var bytes = text.getBytes(StandardCharsets.UTF_8);
    putInt(out, bytes.length);
    out.writeBytes(bytes);
  }

  /** Decodes a schema; throws IllegalArgumentException if the bytes are invalid. */
  public static Schema read(ByteBuffer bytes, FileLayout layout, ByteOrder order, long stride) {
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
    var fields = new ArrayList<Field>(); // not presized, because the count is untrusted
    for (int i = 0; i < count; i++) {
      int kind = in.get();
      var name = text(in);
      fields.add(
          switch (kind) {
            case LEAF -> new Field.Leaf(name, in.getInt(), type(in, depth));
            case RECORD -> new Field.Record(name, text(in), fields(in, depth + 1));
            case LOGICAL_RECORD -> {
              var meaning = LogicalKindCodec.read(in);
              yield new Field.Record(name, text(in), fields(in, depth + 1), Optional.of(meaning));
            }
            case UNION -> new Field.Union(name, text(in), fields(in, depth + 1));
            default -> throw new IllegalArgumentException("a field has the unknown kind " + kind);
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
          throw new IllegalArgumentException("an enum's number must be stored as an integer");
        int count = count(in);
        var cases = new ArrayList<String>();
        for (int i = 0; i < count; i++) cases.add(text(in));
        yield new Type.Ordinal(of, cases);
      }
      case BIG_ENDIAN -> {
        var of = type(in, depth + 1);
        if (!(of instanceof Type.Primitive) && !(of instanceof Type.Ordinal))
          throw new IllegalArgumentException("a big-endian value must be a number");
        yield new Type.BigEndian(of);
      }
      case LOGICAL -> {
        var kind = LogicalKindCodec.read(in);
        var of = type(in, depth + 1);
        if (of instanceof Type.Logical)
          throw new IllegalArgumentException("a value must have at most one logical type");
        yield new Type.Logical(of, kind);
      }
      case STRUCT -> new Type.Struct(text(in), size(in.getInt()), fields(in, depth + 1));
      default -> {
        var primitives = Type.Primitive.values();
        if (code < 1 || code > primitives.length)
          throw new IllegalArgumentException("a type has the unknown code " + code);
        yield primitives[code - 1];
      }
    };
  }

  private static int size(long size) {
    if (size < 1 || size > Schema.LONGEST_ROW)
      throw new IllegalArgumentException(
          "a value must have 1 to " + Schema.LONGEST_ROW + " bytes or elements, but has " + size);
    return (int) size;
  }

  /** A count of following items, each at least one byte long. */
  private static int count(ByteBuffer in) {
    int count = in.getInt();
    if (count < 0 || count > in.remaining())
      throw new IllegalArgumentException(
          "a count must be from 0 to the " + in.remaining() + " remaining bytes, but is " + count);
    return count;
  }

  public static String text(ByteBuffer in) {
    var bytes = new byte[count(in)];
    in.get(bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }
}

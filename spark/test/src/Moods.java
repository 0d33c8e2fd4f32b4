package undercroft.spark;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import undercroft.file.format.Field;
import undercroft.file.format.FileLayout;
import undercroft.file.format.Durability;
import undercroft.file.format.Schema;
import undercroft.file.format.SmallBlocks;
import undercroft.file.format.StructWriter;
import undercroft.file.format.Type;
import undercroft.file.format.Type.Primitive;

/** Files of enums in packed rows: the mood of row `i` is case `i / 10` of {@link #MOODS}, in blocks
 * of ten rows. `maybe` is the same for even `i`, else None; `wide` has two bytes, big-endian;
 * `both` is an array of the mood and the first case; `sign` is a Char and `name` a string.
 */
final class Moods {
  private Moods() {}

  static final List<String> MOODS = List.of("Calm", "Bright", "Weary", "Angry", "Élan");
  static final int ROWS = 50;

  static Schema schema(List<String> cases) {
    var mood = new Type.Ordinal(Primitive.BYTE, cases);
    var wide = new Type.BigEndian(new Type.Ordinal(Primitive.SHORT, cases));
    return new Schema(
        "Moods", FileLayout.PACKED, ByteOrder.nativeOrder(), 15,
        List.of(
            new Field.Leaf("mood", 0, mood),
            new Field.Record(
                "maybe", "Option",
                List.of(new Field.Leaf("isDefined", 1, Primitive.BOOLEAN), new Field.Leaf("get", 2, mood))),
            new Field.Leaf("wide", 3, wide), new Field.Leaf("both", 5, new Type.Elements(mood, 2)),
            new Field.Leaf("sign", 7, Primitive.CHAR), new Field.Leaf("name", 9, new Type.Text(6))));
  }

  static Path file(Path file, List<String> cases) {
    SmallBlocks.seal(writer(file, cases), ROWS, 10);
    return file;
  }

  static StructWriter writer(Path file, List<String> cases) {
    var writer = StructWriter.create(file, schema(cases), ROWS, Durability.VOLATILE);
    writer.ensureCapacity(ROWS);
    var data = writer.data();
    for (int i = 0; i < ROWS; i++) {
      long at = 15L * i;
      byte mood = (byte) (i / 10);
      data.set(JAVA_BYTE, at, mood);
      data.set(JAVA_BYTE, at + 1, (byte) (1 - i % 2));
      data.set(JAVA_BYTE, at + 2, i % 2 == 0 ? mood : 0);
      data.set(JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN), at + 3, mood);
      data.set(JAVA_BYTE, at + 5, mood);
      data.set(JAVA_SHORT_UNALIGNED, at + 7, (short) (65_500 + i % 30));
      data.set(JAVA_BYTE, at + 9, (byte) ('a' + i % 26));
    }
    return writer;
  }
}

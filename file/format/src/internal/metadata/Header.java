package undercroft.file.format.internal.metadata;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.CRC32C;
import undercroft.file.format.Durability;
import undercroft.file.format.ErrorKind;
import undercroft.file.format.Field;
import undercroft.file.format.FileLayout;
import undercroft.file.format.Schema;
import undercroft.file.format.StructFileException;
import undercroft.file.format.Type;

/** The content of one of the two header slots at the start of a file, as defined in docs/format.md.
 *
 * @param rowsPerBlock only in sealed files, like the parameters up to `fileBytes`; otherwise 0
 * @param rows the committed rows
 * @param writer a random number chosen by the writer of the header; 0 if no writer has opened the
 *     file
 */
public record Header(
    int version,
    ByteOrder order,
    Durability durability,
    FileLayout layout,
    long generation,
    long capacity,
    long stride,
    long dataOffset,
    long schemaBytes,
    int schemaChecksum,
    long schemaHash,
    long rowsPerBlock,
    long blocksOffset,
    long blocksBytes,
    int blocksChecksum,
    long fileBytes,
    long rows,
    long writer) {

  /** The version of files without logical types, which have array dimensions and the writer's number.
   */
  public static final int PLAIN_VERSION = 2;

  /** The version of files with logical types. */
  public static final int LOGICAL_VERSION = 3;

  /** The version of compressed files. */
  public static final int COMPRESSED_VERSION = 4;

  /** The latest version. */
  public static final int VERSION = COMPRESSED_VERSION;

  /** Bytes of a slot: a whole page, and the unit in which disks write. */
  public static final int SLOT = 4096;

  /** The position of the schema. */
  public static final long SCHEMA_AT = 2 * SLOT;

  /** The first bytes of a file: not text, and changed by every text conversion. */
  public static final long MAGIC = 0x0a1a0a0d52435589L;

  public static final int GENERATION_AT = 16;
  public static final int WRITER_AT = 120;
  private static final int ROWS_AT = 112;
  private static final int CHECKSUM_AT = SLOT - 4;

  /** The bytes of the slot. */
  public ByteBuffer bytes() {
    var slot = ByteBuffer.allocate(SLOT).order(ByteOrder.LITTLE_ENDIAN);
    slot.putLong(0, MAGIC).putShort(8, (short) version);
    slot.put(10, (byte) (order == ByteOrder.LITTLE_ENDIAN ? 0 : 1));
    slot.put(11, (byte) durability.ordinal()).put(12, (byte) layout.ordinal());
    slot.putLong(GENERATION_AT, generation).putLong(24, capacity).putLong(32, stride);
    slot.putLong(40, dataOffset).putLong(48, schemaBytes).putInt(56, schemaChecksum);
    slot.putLong(64, schemaHash).putLong(72, rowsPerBlock).putLong(80, blocksOffset);
    slot.putLong(88, blocksBytes).putInt(96, blocksChecksum).putLong(104, fileBytes);
    slot.putLong(ROWS_AT, rows).putLong(WRITER_AT, writer);
    return slot.putInt(CHECKSUM_AT, checksum(slot));
  }

  private static int checksum(ByteBuffer slot) {
    var crc = new CRC32C();
    crc.update(slot.array(), slot.arrayOffset(), CHECKSUM_AT);
    return (int) crc.getValue();
  }

  /** The position of the slot for a generation. */
  public static long slotOf(long generation) {
    return (generation & 1) * SLOT;
  }

  public boolean isSealed() {
    return durability == Durability.SEALED;
  }

  /** Whether the blocks of the file are compressed. */
  public boolean isCompressed() {
    return version == COMPRESSED_VERSION;
  }

  /** The header of a copy of a sealed file with another block table, which ends the file. */
  public Header sealed(int version, long blocksOffset, long blocksBytes, int blocksChecksum) {
    return new Header(
        version, order, durability, layout, generation, capacity, stride, dataOffset, schemaBytes,
        schemaChecksum, schemaHash, rowsPerBlock, blocksOffset, blocksBytes, blocksChecksum,
        blocksOffset + blocksBytes, rows, 0);
  }

  /** The header after another commit. */
  public Header committed(long rows, long capacity, Durability durability, long writer) {
    return new Header(
        version, order, durability, layout, generation + 1, capacity, stride, dataOffset, schemaBytes,
        schemaChecksum, schemaHash, 0, 0, 0, 0, 0, rows, writer);
  }

  /** The header after a writer has opened the file. */
  public Header taken(long writer) {
    return new Header(
        version, order, durability, layout, generation + 1, capacity, stride, dataOffset, schemaBytes,
        schemaChecksum, schemaHash, 0, 0, 0, 0, 0, rows, writer);
  }

  /** The version of a file with a schema, so that a reader that does not know logical types
   * refuses the file.
   */
  public static int version(Schema schema) {
    return hasKinds(schema.fields()) ? LOGICAL_VERSION : PLAIN_VERSION;
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

  /** The valid header with the higher generation; throws with the reason if neither is valid.
   *
   * @param slots the first bytes of the file, up to the length of both slots
   */
  public static Header of(Path file, ByteBuffer slots) {
    slots.order(ByteOrder.LITTLE_ENDIAN);
    if (slots.limit() < 2 * SLOT) throw none(file, slots);
    var first = slot(file, slots, 0);
    var second = slot(file, slots, SLOT);
    if (first == null && second == null) throw none(file, slots);
    var best =
        second == null || first != null && first.generation >= second.generation ? first : second;
    if (best.isSealed() && !best.equals(best == first ? second : first))
      throw new StructFileException(
          file, best == first ? SLOT : 0, ErrorKind.CORRUPT, "one header of a sealed file");
    return best;
  }

  /** Whether both headers are valid, hence none of them is being written. */
  public static boolean bothHold(Path file, ByteBuffer slots) {
    return slot(file, slots, 0) != null && slot(file, slots, SLOT) != null;
  }

  private static StructFileException none(Path file, ByteBuffer slots) {
    int size = slots.limit();
    boolean hasMagic = size >= 8 && slots.getLong(0) == MAGIC;
    boolean hasSecondMagic = size >= SLOT + 8 && slots.getLong(SLOT) == MAGIC;
    if (!hasMagic && !hasSecondMagic)
      return new StructFileException(
          file, 0, ErrorKind.NOT_A_STRUCT_FILE, size == 0 ? "it is empty" : "it does not begin as one");
    if (size < 2 * SLOT)
      return new StructFileException(
          file, size, ErrorKind.TRUNCATED, "it ends within its headers, of " + 2 * SLOT + " bytes");
    return new StructFileException(file, 0, ErrorKind.CORRUPT, "neither header has its checksum");
  }

  /** The header in a slot, or null if it is invalid. */
  static Header slot(Path file, ByteBuffer slots, int at) {
    var slot = ByteBuffer.allocate(SLOT).order(ByteOrder.LITTLE_ENDIAN);
    slot.put(0, slots, at, SLOT);
    if (slot.getLong(0) != MAGIC || slot.getInt(CHECKSUM_AT) != checksum(slot)) return null;
    int version = slot.getShort(8) & 0xffff;
    if (version < 1)
      throw new StructFileException(file, at + 8, ErrorKind.CORRUPT, "version " + version);
    if (version > VERSION)
      throw new StructFileException(
          file, at + 8, ErrorKind.UNSUPPORTED_VERSION, "version " + version + ", and " + VERSION + " is the latest known");
    int order = slot.get(10);
    int durability = slot.get(11);
    int layout = slot.get(12);
    var header =
        new Header(
            version,
            order == 0 ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN,
            of(Durability.values(), file, at + 11, durability),
            of(FileLayout.values(), file, at + 12, layout),
            slot.getLong(GENERATION_AT), slot.getLong(24), slot.getLong(32), slot.getLong(40),
            slot.getLong(48), slot.getInt(56), slot.getLong(64), slot.getLong(72),
            slot.getLong(80), slot.getLong(88), slot.getInt(96), slot.getLong(104),
            slot.getLong(ROWS_AT), slot.getLong(WRITER_AT));
    header.check(file, at);
    return header;
  }

  private static <A> A of(A[] values, Path file, long at, int number) {
    if (number < 0 || number >= values.length)
      throw new StructFileException(
          file, at, ErrorKind.CORRUPT, number + " is not below " + values.length);
    return values[number];
  }

  /** Throws if the numbers are inconsistent, which a valid checksum does not exclude. */
  private void check(Path file, long at) {
    if (!isSane())
      throw new StructFileException(file, at, ErrorKind.CORRUPT, "its numbers are inconsistent: " + this);
  }

  /** Whether the numbers are consistent. */
  public boolean isSane() {
    boolean sane =
        rows >= 0
            && rows <= capacity
            && stride > 0
            && stride <= Schema.LONGEST_ROW
            && capacity <= Long.MAX_VALUE / 4 / stride
            && schemaBytes > 0
            && schemaBytes <= dataOffset - SCHEMA_AT
            && dataOffset >= SCHEMA_AT
            && dataOffset <= SCHEMA_AT + Integer.MAX_VALUE / 2
            && dataOffset % SLOT == 0;
    if (sane && isCompressed()) sane = isSealed();
    if (sane && isSealed())
      sane =
          rowsPerBlock > 0
              && rowsPerBlock <= Integer.MAX_VALUE
              && blocksBytes >= 0
              && blocksOffset >= dataOffset
              && fileBytes >= blocksOffset
              && blocksBytes == fileBytes - blocksOffset;
    return sane;
  }
}

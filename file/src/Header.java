package undercroft.file;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/** What one of the two slots at the beginning of a file says, as docs/format.md has it.
 *
 * @param rowsPerBlock
 *     of a sealed file, as all that follow but the last; else 0
 * @param rows
 *     rows that are committed
 */
record Header(
    ByteOrder order,
    Promise promise,
    Layout layout,
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
    long rows) {

  static final int VERSION = 1;

  /** Bytes of a slot: what a disk writes at once, and the whole of a page. */
  static final int SLOT = 4096;

  /** Where the schema is. */
  static final long SCHEMA_AT = 2 * SLOT;

  /** The first bytes of a file: not text, and broken by whatever takes it for text. */
  static final long MAGIC = 0x0a1a0a0d52435589L;

  private static final int CHECKSUM_AT = SLOT - 4;

  /** The slot's bytes. */
  ByteBuffer bytes() {
    var slot = ByteBuffer.allocate(SLOT).order(ByteOrder.LITTLE_ENDIAN);
    slot.putLong(0, MAGIC).putShort(8, (short) VERSION);
    slot.put(10, (byte) (order == ByteOrder.LITTLE_ENDIAN ? 0 : 1));
    slot.put(11, (byte) promise.ordinal()).put(12, (byte) layout.ordinal());
    slot.putLong(16, generation).putLong(24, capacity).putLong(32, stride);
    slot.putLong(40, dataOffset).putLong(48, schemaBytes).putInt(56, schemaChecksum);
    slot.putLong(64, schemaHash).putLong(72, rowsPerBlock).putLong(80, blocksOffset);
    slot.putLong(88, blocksBytes).putInt(96, blocksChecksum).putLong(104, fileBytes);
    slot.putLong(112, rows);
    return slot.putInt(CHECKSUM_AT, checksum(slot));
  }

  private static int checksum(ByteBuffer slot) {
    var crc = new CRC32C();
    crc.update(slot.array(), slot.arrayOffset(), CHECKSUM_AT);
    return (int) crc.getValue();
  }

  /** Where the slot of a generation is. */
  static long slotOf(long generation) {
    return (generation & 1) * SLOT;
  }

  boolean isSealed() {
    return promise == Promise.SEALED;
  }

  /** The same file after another commit. */
  Header committed(long rows, long capacity, Promise promise) {
    return new Header(
        order, promise, layout, generation + 1, capacity, stride, dataOffset, schemaBytes,
        schemaChecksum, schemaHash, 0, 0, 0, 0, 0, rows);
  }

  /** The header of the two that holds; throws where none does, with the reason.
   *
   * @param slots
   *     the first bytes of the file, as many of both slots as there are
   */
  static Header of(Path file, ByteBuffer slots) {
    slots.order(ByteOrder.LITTLE_ENDIAN);
    if (slots.limit() < 2 * SLOT) throw none(file, slots);
    var first = slot(file, slots, 0);
    var second = slot(file, slots, SLOT);
    if (first == null && second == null) throw none(file, slots);
    var best =
        second == null || first != null && first.generation >= second.generation ? first : second;
    if (best.isSealed() && !best.equals(best == first ? second : first))
      throw new StructFileException(
          file, best == first ? SLOT : 0, Fault.DAMAGED, "one header of a sealed file");
    return best;
  }

  /** Whether both headers do: then none of them was being written. */
  static boolean bothHold(Path file, ByteBuffer slots) {
    return slot(file, slots, 0) != null && slot(file, slots, SLOT) != null;
  }

  private static StructFileException none(Path file, ByteBuffer slots) {
    int size = slots.limit();
    boolean known = size >= 8 && slots.getLong(0) == MAGIC;
    boolean knownThere = size >= SLOT + 8 && slots.getLong(SLOT) == MAGIC;
    if (!known && !knownThere)
      return new StructFileException(
          file, 0, Fault.FOREIGN, size == 0 ? "it is empty" : "it does not begin as one");
    if (size < 2 * SLOT)
      return new StructFileException(
          file, size, Fault.TRUNCATED, "it ends within its headers, of " + 2 * SLOT + " bytes");
    return new StructFileException(file, 0, Fault.DAMAGED, "neither header has its checksum");
  }

  /** The header in a slot, or null where it is not whole. */
  private static Header slot(Path file, ByteBuffer slots, int at) {
    var slot = ByteBuffer.allocate(SLOT).order(ByteOrder.LITTLE_ENDIAN);
    slot.put(0, slots, at, SLOT);
    if (slot.getLong(0) != MAGIC || slot.getInt(CHECKSUM_AT) != checksum(slot)) return null;
    int version = slot.getShort(8) & 0xffff;
    if (version > VERSION)
      throw new StructFileException(
          file, at + 8, Fault.FUTURE_VERSION, "version " + version + ", and " + VERSION + " is known");
    int order = slot.get(10);
    int promise = slot.get(11);
    int layout = slot.get(12);
    var header =
        new Header(
            order == 0 ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN,
            of(Promise.values(), file, at + 11, promise),
            of(Layout.values(), file, at + 12, layout),
            slot.getLong(16), slot.getLong(24), slot.getLong(32), slot.getLong(40),
            slot.getLong(48), slot.getInt(56), slot.getLong(64), slot.getLong(72),
            slot.getLong(80), slot.getLong(88), slot.getInt(96), slot.getLong(104),
            slot.getLong(112));
    header.check(file, at);
    return header;
  }

  private static <A> A of(A[] all, Path file, long at, int number) {
    if (number < 0 || number >= all.length)
      throw new StructFileException(file, at, Fault.DAMAGED, number + " is not below " + all.length);
    return all[number];
  }

  /** Refuses numbers that no writer writes: a checksum is no proof of them. */
  private void check(Path file, long at) {
    if (!isSane())
      throw new StructFileException(file, at, Fault.DAMAGED, "numbers that go against each other: " + this);
  }

  /** Whether its numbers can be those of a file. */
  boolean isSane() {
    boolean sane =
        rows >= 0
            && rows <= capacity
            && stride > 0
            && stride <= Schema.LONGEST_ROW
            && capacity <= Long.MAX_VALUE / 4 / stride
            && schemaBytes > 0
            && dataOffset >= SCHEMA_AT + schemaBytes
            && dataOffset <= SCHEMA_AT + Integer.MAX_VALUE / 2
            && dataOffset % SLOT == 0;
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

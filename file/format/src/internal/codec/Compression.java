package undercroft.file.format.internal.codec;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import undercroft.file.format.BlockCodec;
import undercroft.file.format.ErrorKind;
import undercroft.file.format.StructFileException;
import undercroft.file.format.internal.evolution.SchemaConversion;
import undercroft.file.format.internal.metadata.AtomicFile;
import undercroft.file.format.internal.metadata.BlockTable;
import undercroft.file.format.internal.metadata.FileMetadata;
import undercroft.file.format.internal.metadata.Header;
import undercroft.file.format.internal.metadata.Verification;
import undercroft.file.format.internal.storage.FileErrors;
import undercroft.file.format.internal.storage.LocalFileStorage;
import undercroft.file.format.internal.storage.WriterLock;

/** Copies a sealed file to a compressed one, and back. The target appears complete, or not at all. */
public final class Compression {
  private Compression() {}

  /** Copies a sealed file to a new compressed file. The bytes that are compressed are compared with
   * the checksums of the sealed file, which the compressed file keeps.
   */
  public static void compress(Path source, Path target, String codecName, int level) {
    var codec = BlockCodec.find(codecName);
    if (codec == null)
      throw new StructFileException(target, 0, ErrorKind.NO_CODEC, BlockCodec.missing(codecName));
    if (!codecName.matches("[a-z0-9-]{1," + PieceTable.NAME_BYTES + "}"))
      throw new IllegalArgumentException(
          "the name of a codec must have 1 to " + PieceTable.NAME_BYTES
              + " of the characters a-z, 0-9 and -, but is " + codecName);
    if (level < codec.lowestLevel() || level > codec.highestLevel())
      throw new IllegalArgumentException(
          "level of " + codecName + " must be from " + codec.lowestLevel() + " to "
              + codec.highestLevel() + ", but is " + level);
    try (var file = LocalFileStorage.open(source, false)) {
      var contents = FileMetadata.read(source, file);
      contents.checkOrder(source);
      check(source, contents.header());
      var sealedTable = Verification.table(source, file, contents);
      write(
          target,
          output -> {
            try (var encoder = codec.encoder(level)) {
              compress(source, file, contents, sealedTable, codecName, encoder, output);
            }
          });
    } catch (IOException e) {
      throw FileErrors.of(source, 0, e);
    }
  }

  private static void check(Path source, Header header) {
    if (!header.isSealed())
      throw new StructFileException(
          source, 11, ErrorKind.NOT_SEALED, "only a sealed file can be compressed: seal it first");
    if (header.version() < Header.PLAIN_VERSION)
      throw new StructFileException(
          source, 8, ErrorKind.WRONG_SCHEMA,
          "a file of version 1 cannot be compressed, because its arrays have no dimensions");
    if (!PieceTable.isBounded(header))
      throw new StructFileException(
          source, 72, ErrorKind.WRONG_SCHEMA,
          "a block of a compressed file must have at most " + PieceTable.MOST_BLOCK_BYTES
              + " bytes, but has " + header.rowsPerBlock() + " rows of " + header.stride());
  }

  private static void compress(
      Path source, LocalFileStorage file, FileMetadata contents, ByteBuffer sealedTable, String codec,
      BlockCodec.Encoder encoder, LocalFileStorage output) throws IOException {
    var header = contents.header();
    var blocks = BlockTable.of(contents.header(), contents.schema());
    var table = PieceTable.create(source, blocks, codec);
    var piece = new byte[0];
    var planes = new byte[0];
    var encoded = new byte[0];
    long position = header.dataOffset();
    for (long block = 0; block < blocks.count(); block++) {
      table.putSealedRecord(block, sealedTable);
      for (int i = 0; i < table.starts.length; i++) {
        int size = table.size(block, i);
        if (piece.length < size) {
          piece = new byte[size];
          planes = new byte[size];
          encoded = new byte[encoder.maxBytes(size)];
        }
        long place = blocks.place(block, table.starts[i], table.sizes[i]);
        CompressedFile.read(source, file, piece, size, place);
        CompressedFile.compare(
            source, place, piece, 0, size, table.checksum(block, i), "block " + block);
        boolean splits = table.splits[i];
        if (splits) BytePlanes.split(piece, (int) blocks.rows(block), (int) table.sizes[i], planes);
        int count = encoder.encode(splits ? planes : piece, size, encoded);
        boolean isSmaller = count < size;
        var stored = isSmaller ? encoded : piece;
        int storedCount = isSmaller ? count : size;
        var crc = new CRC32C();
        crc.update(stored, 0, storedCount);
        output.write(stored, storedCount, position);
        table.put(block, i, position, storedCount, (int) crc.getValue());
        position += storedCount;
      }
    }
    long offset = Math.ceilDiv(position, 8L) * 8;
    output.fill(position, offset - position);
    var bytes = table.array();
    output.write(bytes, bytes.length, offset);
    var whole = header.sealed(Header.COMPRESSED_VERSION, offset, bytes.length, checksum(bytes));
    AtomicFile.putBeginning(output, whole, contents.schema());
  }

  /** Copies a compressed file to a new sealed one: the file that was compressed. */
  public static void decompress(Path source, Path target) {
    try (var file = CompressedFile.open(source);
        var reader = file.reader(SchemaConversion.of(source, file.schema(), file.schema()))) {
      write(target, output -> decompress(file, reader, output));
    }
  }

  private static void decompress(CompressedFile file, BlockReader reader, LocalFileStorage output)
      throws IOException {
    var blocks = file.blocks;
    var sealedTable = ByteBuffer.allocate((int) blocks.bytes()).order(ByteOrder.LITTLE_ENDIAN);
    var piece = new byte[0];
    for (long block = 0; block < blocks.count(); block++) {
      file.table.copySealedRecord(block, sealedTable);
      for (int i = 0; i < file.table.starts.length; i++) {
        int size = file.table.size(block, i);
        if (piece.length < size) piece = new byte[size];
        reader.decode(block, i, piece, 0);
        output.write(piece, size, blocks.place(block, file.table.starts[i], file.table.sizes[i]));
      }
    }
    // Gaps between the columns are never written, and therefore zero.
    var bytes = sealedTable.array();
    output.write(bytes, bytes.length, blocks.offset());
    var whole = file.header().sealed(Header.version(file.schema()), blocks.offset(), bytes.length, checksum(bytes));
    if (whole.fileBytes() > output.size()) output.fill(output.size(), whole.fileBytes() - output.size());
    AtomicFile.putBeginning(output, whole, file.schema());
  }

  private static int checksum(byte[] bytes) {
    var crc = new CRC32C();
    crc.update(bytes);
    return (int) crc.getValue();
  }

  /** Writes a new file, which appears when it is complete. */
  private static void write(Path target, AtomicFile.Write write) {
    try {
      var lock = WriterLock.take(target);
      boolean isWritten = false;
      try {
        if (Files.exists(target, LinkOption.NOFOLLOW_LINKS))
          throw new StructFileException(target, 0, ErrorKind.EXISTS, "a new file would take its place");
        AtomicFile.write(target, write);
        LocalFileStorage.forceFolder(target);
        isWritten = true;
      } finally {
        if (isWritten) lock.closeForGood();
        else lock.closeUnused();
      }
    } catch (IOException e) {
      throw FileErrors.of(target, 0, e);
    }
  }
}

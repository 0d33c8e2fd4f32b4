package undercroft.file.format;

/** Seals files with small blocks, so that tests have many of them. */
public final class SmallBlocks {
  private SmallBlocks() {}

  public static void seal(StructWriter writer, long rows, long rowsPerBlock) {
    writer.seal(rows, rowsPerBlock);
  }
}

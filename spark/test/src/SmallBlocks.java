package undercroft.file;

/** Seals with blocks of a few rows, so that tests have many. */
public final class SmallBlocks {
  private SmallBlocks() {}

  public static void seal(StructWriter writer, long rows, long rowsPerBlock) {
    writer.seal(rows, rowsPerBlock);
  }
}

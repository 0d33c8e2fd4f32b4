package undercroft.file.format;

/** When the blocks of a sealed file are compared with their checksums. Other files have no
 * checksums of blocks.
 */
public enum Checksums {
  /** Only by {@link StructFile#verify}. */
  NEVER,
  /** When Spark, DuckDB or `writeArrow` first reads a block. Loops over a table do not compare. */
  FIRST_USE,
  /** All blocks when the file is opened, which reads it once. */
  AT_OPEN
}

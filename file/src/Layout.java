package undercroft.file;

/** How rows lie in a file. The order is that of their numbers in the file. */
public enum Layout {
  /** Row after row under the C ABI. */
  ALIGNED,
  /** Row after row without padding. */
  PACKED,
  /** A column for each field. */
  COLUMNS
}

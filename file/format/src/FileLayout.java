package undercroft.file.format;

/** The layout of rows in a file. The ordinals are the numbers in the file. */
public enum FileLayout {
  /** Array of structs with C ABI alignment. */
  ALIGNED,
  /** Array of structs without padding. */
  PACKED,
  /** Struct of arrays: a column for each field. */
  COLUMNS
}

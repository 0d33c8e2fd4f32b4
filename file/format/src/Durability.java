package undercroft.file.format;

/** The durability of commits. The ordinals are the numbers in the file. */
public enum Durability {
  /** Rows survive the end of the process, even if it is killed, but not necessarily a loss of
   * power.
   */
  VOLATILE,
  /** Rows are forced to the device, and the header after them: they survive a loss of power. */
  COMMITTED,
  /** The file is immutable, and every bit of it is covered by a checksum. */
  SEALED
}

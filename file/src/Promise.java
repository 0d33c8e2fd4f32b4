package undercroft.file;

/** What a commit promises. The order is that of their numbers in the file. */
public enum Promise {
  /** The rows outlive the process, however it ends, but perhaps not the machine's power. */
  VOLATILE,
  /** The rows were forced to the disk, and the header after them: they outlive a loss of power. */
  COMMITTED,
  /** The file never changes again, and every bit of it is covered by a checksum. */
  SEALED
}

package undercroft.file.format;

/** The kinds of error of an operation on a struct file. */
public enum ErrorKind {
  /** The file does not exist. */
  NOT_FOUND("there is no such file"),
  /** A new file would replace an existing one. */
  EXISTS("exists already"),
  /** The file ends too early. */
  TRUNCATED("truncated"),
  /** The content of the file is corrupt. */
  CORRUPT("corrupt"),
  /** The file is not a struct file. */
  NOT_A_STRUCT_FILE("no struct file"),
  /** The file has a later version of the format. */
  UNSUPPORTED_VERSION("a later version"),
  /** The schema does not match the requested one. */
  WRONG_SCHEMA("incompatible schema"),
  /** The disk is full, or a quota or limit of the process is reached. */
  NO_SPACE("no space"),
  /** Another writer has the file open. */
  IN_USE("in use"),
  /** The path refers to another file than when it was opened for writing. */
  REPLACED("replaced"),
  /** The file is immutable. */
  SEALED("sealed"),
  /** The file is compressed, and the operation needs rows that are stored as they are. */
  COMPRESSED("compressed"),
  /** The file is not compressed. */
  NOT_COMPRESSED("not compressed"),
  /** The file is not sealed. */
  NOT_SEALED("not sealed"),
  /** The codec of a compressed file is not on the class path. */
  NO_CODEC("no codec"),
  /** The file has been closed. */
  CLOSED("closed"),
  /** The operating system reported an I/O error. */
  UNREADABLE("unreadable");

  final String description;

  ErrorKind(String description) {
    this.description = description;
  }
}

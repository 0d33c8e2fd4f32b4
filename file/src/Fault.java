package undercroft.file;

/** What is wrong with a struct file, or with what was asked of it. */
public enum Fault {
  /** There is no such file. */
  ABSENT("there is no such file"),
  /** A new file would take the place of one that is there. */
  EXISTS("exists already"),
  /** Bytes are missing at its end. */
  TRUNCATED("truncated"),
  /** Its bytes are not those that were written. */
  DAMAGED("damaged"),
  /** It is no struct file. */
  FOREIGN("no struct file"),
  /** A later version of the format. */
  FUTURE_VERSION("a later version"),
  /** Its fields are not the ones that were asked for. */
  WRONG_SCHEMA("another schema"),
  /** The disk, a quota or a limit of the process ends here. */
  NO_SPACE("no space"),
  /** Another writer has it. */
  IN_USE("in use"),
  /** It takes no more rows and no changes. */
  SEALED("sealed"),
  /** It has been closed. */
  CLOSED("closed"),
  /** The system could not read or write it. */
  UNREADABLE("unreadable");

  final String words;

  Fault(String words) {
    this.words = words;
  }
}

package undercroft.file.format;

import java.io.Serial;

/** A value is a case of an enum that the class does not have. It is reported with its row as a {@link
 * StructFileException}.
 */
final class AbsentCase extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  final ErrorKind kind;

  AbsentCase(ErrorKind kind, String message) {
    super(message, null, false, false);
    this.kind = kind;
  }
}

package undercroft.file.format.internal.schema;

import java.io.Serial;
import undercroft.file.format.ErrorKind;

/** A value is a case of an enum that the class does not have. It is reported with its row as a {@link
 * StructFileException}.
 */
public final class AbsentCase extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  public final ErrorKind kind;

  public AbsentCase(ErrorKind kind, String message) {
    super(message, null, false, false);
    this.kind = kind;
  }
}

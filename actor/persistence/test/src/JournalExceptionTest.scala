package undercroft.actor
package persistence

import java.io.IOException
import java.nio.file.FileSystemException
import undercroft.tools.Suite

class JournalExceptionTest extends Suite:
  import JournalException.Kind

  test("an I/O error of a full disk or of a quota has the kind NoSpace, another one Failed"):
    val full = "No space left on device"
    val errors = List(
      IOException(full),
      FileSystemException("journal.lock", null, full),
      IOException("Disk quota exceeded"),
      IOException("Input/output error"),
      FileSystemException("quota", null, "Permission denied"),
      IOException()
    )
    assertEquals(
      errors.map(error => JournalException.of("journal.lock", error).kind),
      List(Kind.NoSpace, Kind.NoSpace, Kind.NoSpace, Kind.Failed, Kind.Failed, Kind.Failed)
    )
end JournalExceptionTest

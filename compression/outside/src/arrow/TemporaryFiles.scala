package outside.compression.arrow

import java.nio.file.{Files, Path}
import java.util.concurrent.locks.LockSupport
import scala.jdk.CollectionConverters.*

/** The temporary files of Arrow files and streams. */
object TemporaryFiles:
  def all: Set[Path] =
    val names = Files.list(Path.of(System.getProperty("java.io.tmpdir")))
    try
      names.toList.asScala.toSet.filter: file =>
        file.getFileName.toString.startsWith("undercroft-arrow") && !Files.isDirectory(file)
    finally names.close()

  /** Fails if a temporary file remains that was not there before. */
  def checkOnly(before: Set[Path]): Unit =
    // Another process may have such a file for a moment.
    val since = all -- before
    val end = System.nanoTime + 60_000_000_000L
    while since.exists(Files.exists(_)) && System.nanoTime < end do LockSupport.parkNanos(1_000_000)
    munit.Assertions.assertEquals(since.filter(Files.exists(_)), Set.empty[Path])
end TemporaryFiles

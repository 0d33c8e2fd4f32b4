package undercroft.lab.bench

import java.nio.file.{Files, Path}

/** Files of a benchmark's own, on the disk that `java.io.tmpdir` is on. */
object LabFiles:
  def path(name: String): Path = Files.createTempDirectory("undercroft-lab").nn.resolve(name).nn

  /** Deletes a file and the folder that was made for it, with what others wrote beside. */
  def delete(path: Path): Unit =
    val folder = path.getParent.nn
    val files = Files.list(folder).nn
    try files.forEach(file => Files.delete(file))
    finally files.close()
    Files.delete(folder)
end LabFiles

package undercroft.lab.bench

import java.nio.file.{Files, Path}

/** Files of a benchmark, on the disk of `java.io.tmpdir`. */
object LabFiles:
  def path(name: String): Path = Files.createTempDirectory("undercroft-lab").nn.resolve(name).nn

  /** Deletes a file and the folder that was created for it, with all other files in that folder. */
  def delete(path: Path): Unit =
    val folder = path.getParent.nn
    val files = Files.list(folder).nn
    try files.forEach(file => Files.delete(file))
    finally files.close()
    Files.delete(folder)
end LabFiles

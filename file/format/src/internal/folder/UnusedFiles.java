package undercroft.file.format.internal.folder;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Deletes files of a folder that its manifest does not list. Failures waste disk space only. */
public final class UnusedFiles {
  private UnusedFiles() {}

  /** Deletes a data file, and the folders of its partition if they are empty then. */
  public static void deleteData(Path folder, String name) {
    var path = folder.resolve(name);
    delete(path);
    for (var parent = path.getParent(); !parent.equals(folder); parent = parent.getParent())
      try {
        Files.deleteIfExists(parent);
      } catch (IOException e) {
        return; // it contains other files
      }
  }

  public static void delete(Path path) {
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      // Wastes disk space only.
    }
  }
}

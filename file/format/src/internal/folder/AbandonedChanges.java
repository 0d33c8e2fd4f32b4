package undercroft.file.format.internal.folder;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import undercroft.file.format.StructFileException;
import undercroft.file.format.internal.storage.WriterLock;

/** Changes of a folder whose process has ended without `close`. */
public final class AbandonedChanges {
  private AbandonedChanges() {}

  /** Deletes the files of abandoned changes. A file that cannot be deleted stays until the next
   * commit.
   *
   * @param id the change that is being committed
   */
  public static void delete(Path folder, String id) {
    var names = new HashSet<String>();
    for (var path : FolderListing.list(folder)) {
      var name = path.getFileName().toString();
      if (name.matches(FolderChange.PREFIX + "[0-9a-f-]{36}\\.lock"))
        names.add(name.substring(0, FolderChange.PREFIX.length() + 36));
    }
    names.remove(FolderChange.PREFIX + id);
    for (var name : names) deleteIfEnded(folder, name);
  }

  /** Deletes the files of a change unless its process is alive, which holds the lock. */
  private static void deleteIfEnded(Path folder, String name) {
    WriterLock lock;
    try {
      lock = WriterLock.take(folder.resolve(name));
    } catch (StructFileException e) {
      return;
    }
    try {
      deleteFiles(folder, name);
      lock.closeForGood();
    } catch (IOException | StructFileException e) {
      try {
        lock.close();
      } catch (IOException closeError) {
        // The next commit tries again.
      }
    }
  }

  private static void deleteFiles(Path folder, String name) throws IOException {
    // Read after the lock is taken: a commit of the other process is visible by now.
    var listed = FolderListing.current(folder).names();
    var journal = folder.resolve(name + ".files");
    if (Files.exists(journal))
      FolderManifest.parse(0, Files.readString(journal, StandardCharsets.UTF_8))
          .ifPresent(
              touched -> {
                for (var entry : touched.entries())
                  if (!listed.contains(entry.name())) UnusedFiles.deleteData(folder, entry.name());
              });
    for (var path : FolderListing.list(folder))
      if (path.getFileName().toString().startsWith(name) && !path.toString().endsWith(name + ".lock"))
        UnusedFiles.delete(path);
  }
}

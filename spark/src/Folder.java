package undercroft.spark;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Which files are read for a path: itself, or those of the folder that it is. */
final class Folder {
  private Folder() {}

  /** How often a folder is listed that changes meanwhile. */
  private static final int ATTEMPTS = 5;

  /** How often a folder is deleted that others make files in meanwhile. */
  private static final int REMOVALS = 10;

  private static final Logger LOG = LoggerFactory.getLogger(Folder.class);

  /** The file system of a path, without checksum files beside where it is the local one. */
  static FileSystem system(Path path, Configuration conf) throws IOException {
    var system = path.getFileSystem(conf);
    return system instanceof LocalFileSystem local ? local.getRaw() : system;
  }

  /** The files of each path, which may be a pattern; an IllegalArgumentException where one has none. */
  static List<Path> files(List<String> paths, Configuration conf) {
    var found = new ArrayList<Path>();
    for (var text : paths) {
      var path = new Path(text);
      try {
        var system = system(path, conf);
        var statuses = system.globStatus(path);
        if (statuses == null || statuses.length == 0)
          throw new IllegalArgumentException(text + ": there is no such file or folder");
        Arrays.sort(statuses);
        for (var status : statuses)
          if (status.isDirectory()) found.addAll(inFolder(system, status.getPath()));
          else found.add(status.getPath());
      } catch (IOException e) {
        throw new IllegalStateException(text + ": cannot be read: " + e.getMessage(), e);
      }
    }
    return found;
  }

  private static List<Path> inFolder(FileSystem system, Path folder) throws IOException {
    return seen(
        system, folder,
        statuses -> {
          var commit = Commit.in(system, statuses);
          var files = commit.isPresent() ? listed(folder, commit.get(), statuses) : all(statuses);
          if (files.isEmpty())
            throw new IllegalArgumentException(folder + ": there are no struct files in this folder");
          return files;
        });
  }

  /** What is found out about a folder by what is in it. */
  interface Sight<T> {
    T of(FileStatus[] statuses) throws IOException;
  }

  /** Looks at a folder, and again where it changes meanwhile: whoever commits deletes what was before. */
  static <T> T seen(FileSystem system, Path folder, Sight<T> sight) throws IOException {
    for (int attempt = 1; ; attempt++) {
      var statuses = system.listStatus(folder);
      try {
        return sight.of(statuses);
      } catch (FileNotFoundException | IllegalStateException e) {
        if (attempt == ATTEMPTS) throw e;
      }
    }
  }

  /** All files of a folder that nobody committed to as a whole. */
  static List<Path> all(FileStatus[] statuses) {
    var files = new ArrayList<Path>();
    for (var status : statuses) {
      var name = status.getPath().getName();
      boolean hidden = name.startsWith("_") || name.startsWith(".");
      // What a writer of a struct file has beside it.
      boolean beside = name.endsWith(".lock") || name.endsWith(".new");
      if (hidden || beside) continue;
      if (status.isDirectory())
        throw new IllegalArgumentException(
            status.getPath() + ": a folder in a folder is not read: name it, or a pattern of both");
      files.add(status.getPath());
    }
    files.sort(null);
    return files;
  }

  private static List<Path> listed(Path folder, Commit commit, FileStatus[] statuses) {
    var lengths = new HashMap<String, Long>();
    for (var status : statuses)
      if (status.isFile()) lengths.put(status.getPath().getName(), status.getLen());
    var files = new ArrayList<Path>();
    for (var entry : commit.entries()) {
      var length = lengths.get(entry.name());
      var path = new Path(folder, entry.name());
      if (length == null)
        throw new IllegalStateException(
            path + ": there is no such file, and commit " + commit.number() + " of the folder has it");
      if (entry.length() >= 0 && length != entry.length())
        throw new IllegalStateException(
            path + ": it has " + length + " bytes, and " + entry.length() + " in commit "
                + commit.number() + " of the folder");
      files.add(path);
    }
    return files;
  }

  /** Gives a file a name that no other one has; false where one has it. */
  static boolean moveNew(FileSystem system, Path from, Path to) throws IOException {
    if ("file".equals(system.getUri().getScheme())) {
      try {
        Files.createLink(Opened.local(to), Opened.local(from));
        return true;
      } catch (FileAlreadyExistsException e) {
        return false;
      } catch (FileSystemException | UnsupportedOperationException e) {
        // A file system without links, which says so in one way or the other: what follows is all there is.
      }
    }
    if (system.exists(to)) return false;
    return system.rename(from, to);
  }

  /** Deletes a file or a folder that is no part of a folder of files any more, be it one that a
   * cancelled task still makes files in. Where that fails it stays, which changes nothing but the room
   * that is left, and the log says so.
   */
  static void remove(FileSystem system, Path path) {
    try {
      for (int attempt = 1; attempt <= REMOVALS; attempt++)
        if (system.delete(path, true) || !system.exists(path)) return;
      LOG.warn("{} was not deleted: it is made anew again and again", path);
    } catch (IOException e) {
      LOG.warn("{} was not deleted", path, e);
    }
  }
}

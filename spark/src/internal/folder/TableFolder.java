package undercroft.spark.internal.folder;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import undercroft.file.format.internal.folder.FileFacts;
import undercroft.file.format.internal.folder.FolderManifest;

/** Resolves a path to struct files: a file, or the files of a folder. */
public final class TableFolder {
  private TableFolder() {}

  /** How often a folder that changes meanwhile is listed again. */
  private static final int ATTEMPTS = 5;

  /** How often the deletion of a folder is repeated if other tasks create files in it meanwhile. */
  private static final int REMOVALS = 10;

  private static final Logger LOG = LoggerFactory.getLogger(TableFolder.class);

  /** Warnings already given, so that queries do not repeat them; cleared if there are many. */
  private static final Set<String> WARNED = ConcurrentHashMap.newKeySet();

  private static final int MOST_WARNED = 1000;

  /** The file system of a path. The local one is used without `.crc` files. */
  public static FileSystem system(Path path, Configuration conf) throws IOException {
    var system = path.getFileSystem(conf);
    return system instanceof LocalFileSystem local ? local.getRaw() : system;
  }

  /** A file of a table.
   *
   * @param partition the partition folders of the file, such as `day=2026-11-24`; or empty
   * @param length the size in bytes when it was listed
   * @param modified the modification time when it was listed, in milliseconds since 1970
   * @param facts of the manifest, if the file has not changed since; or null
   */
  public record TableFile(Path path, String partition, long length, long modified, FileFacts facts) {
    static TableFile of(FileStatus status, String partition) {
      return of(status, status.getPath(), partition, null);
    }

    private static TableFile of(FileStatus status, Path path, String partition, FileFacts facts) {
      long modified = status.getModificationTime();
      boolean isCurrent = facts != null && facts.modified() == modified;
      return new TableFile(path, partition, status.getLen(), modified, isCurrent ? facts : null);
    }
  }

  /** The files of each path or glob pattern. A pattern that is the name of a file or folder, such as
   * `g[1]`, is this name. A pattern matches no hidden names and no auxiliary files, unless its own part
   * is one. Throws IllegalArgumentException if a path or pattern matches no file.
   */
  public static List<TableFile> files(List<String> paths, Configuration conf) {
    var files = new ArrayList<TableFile>();
    for (var text : paths) {
      var path = new Path(text);
      try {
        var system = system(path, conf);
        var statuses = statuses(system, path);
        if (statuses.length == 0)
          throw new IllegalArgumentException(text + ": there is no such file or folder");
        for (var status : statuses)
          if (status.isDirectory()) files.addAll(inFolder(system, status.getPath()));
          else files.add(TableFile.of(status, ""));
      } catch (IOException e) {
        throw new IllegalStateException(text + ": cannot be read: " + e.getMessage(), e);
      }
    }
    return files;
  }

  private static FileStatus[] statuses(FileSystem system, Path path) throws IOException {
    try {
      return new FileStatus[] {system.getFileStatus(path)};
    } catch (FileNotFoundException e) {
      var matches = system.globStatus(path);
      if (matches == null) return new FileStatus[0];
      var pattern = system.makeQualified(path);
      return Arrays.stream(matches).filter(match -> !isIgnored(match, pattern)).sorted().toArray(FileStatus[]::new);
    }
  }

  /** Whether a match of a pattern is an auxiliary file, or is hidden or in a hidden folder, and the
   * pattern does not say so.
   */
  private static boolean isIgnored(FileStatus match, Path pattern) {
    var path = match.getPath();
    if (match.isFile() && FolderManifest.isAuxiliary(path.getName()) && !FolderManifest.isAuxiliary(pattern.getName()))
      return true;
    // Alternatives such as `{a/b,c}` may have other depths: then only the last part is compared.
    boolean isAligned = path.depth() == pattern.depth();
    while (path.getParent() != null && pattern.getParent() != null) {
      if (FolderManifest.isHidden(path.getName()) && !FolderManifest.isHidden(pattern.getName())) return true;
      if (!isAligned) return false;
      path = path.getParent();
      pattern = pattern.getParent();
    }
    return false;
  }

  /** A file or folder of a folder. Unlike by `new Path(folder, name)`, a name may have a colon.
   *
   * @param name relative to the folder, with `/` after the names of partition folders
   */
  public static Path child(Path folder, String name) {
    return new Path(folder, new Path(null, null, name));
  }

  /** Whether a folder has no struct files, or does not exist. */
  public static boolean isEmpty(Path folder, Configuration conf) {
    try {
      var system = system(folder, conf);
      if (!system.exists(folder)) return true;
      if (!system.getFileStatus(folder).isDirectory()) return false;
      return seen(
          system, folder,
          statuses -> {
            var commit = TableManifest.in(system, statuses);
            return commit.isPresent() ? commit.get().entries().isEmpty() : all(system, statuses).isEmpty();
          });
    } catch (IOException e) {
      throw new IllegalStateException(folder + ": cannot be read: " + e.getMessage(), e);
    }
  }

  private static List<TableFile> inFolder(FileSystem system, Path folder) throws IOException {
    return seen(
        system, folder,
        statuses -> {
          var commit = TableManifest.in(system, statuses);
          var files =
              commit.isPresent()
                  ? listed(system, folder, commit.get(), statuses)
                  : unmanaged(system, folder, statuses);
          if (files.isEmpty())
            throw new IllegalArgumentException(folder + ": there are no struct files in this folder");
          return files;
        });
  }

  /** A function of a folder's listing. */
  public interface Sight<T> {
    T of(FileStatus[] statuses) throws IOException;
  }

  /** Evaluates a function of a folder's listing, again if files are deleted meanwhile: commits
   * delete replaced files.
   */
  public static <T> T seen(FileSystem system, Path folder, Sight<T> sight) throws IOException {
    for (int attempt = 1; ; attempt++) {
      var statuses = system.listStatus(folder);
      try {
        return sight.of(statuses);
      } catch (FileNotFoundException | IllegalStateException e) {
        if (attempt == ATTEMPTS) throw e;
      }
    }
  }

  /** All files of a folder that still has no manifest after they were listed. A change publishes the
   * first one before it adds or deletes a file, so the list is consistent.
   */
  private static List<TableFile> unmanaged(FileSystem system, Path folder, FileStatus[] statuses)
      throws IOException {
    var files = all(system, statuses);
    if (TableManifest.in(system, system.listStatus(folder)).isPresent())
      throw new IllegalStateException(folder + ": its first manifest was published while it was listed");
    return files;
  }

  /** All files in a listing of a folder without a manifest. */
  public static List<TableFile> all(FileSystem system, FileStatus[] statuses) throws IOException {
    var files = new ArrayList<TableFile>();
    collect(system, statuses, "", files);
    return files;
  }

  private static void collect(
      FileSystem system, FileStatus[] statuses, String partition, List<TableFile> files) throws IOException {
    var sorted = statuses.clone();
    Arrays.sort(sorted);
    for (var status : sorted) {
      var name = status.getPath().getName();
      if (FolderManifest.isHidden(name)) continue;
      if (!status.isDirectory()) {
        if (!FolderManifest.isAuxiliary(name)) files.add(TableFile.of(status, partition));
      } else if (name.indexOf('=') > 0)
        collect(system, system.listStatus(status.getPath()), inside(partition, name), files);
      else
        throw new IllegalArgumentException(
            status.getPath() + ": a nested folder is not read: name it, or a pattern of both");
    }
  }

  private static String inside(String partition, String name) {
    return partition.isEmpty() ? name : partition + "/" + name;
  }

  private static List<TableFile> listed(
      FileSystem system, Path folder, TableManifest commit, FileStatus[] statuses) throws IOException {
    var present = new HashMap<String, FileStatus>();
    addFiles(statuses, "", present);
    var partitions = new HashSet<String>();
    for (var entry : commit.entries())
      if (!entry.partition().isEmpty() && partitions.add(entry.partition()))
        try {
          addFiles(system.listStatus(child(folder, entry.partition())), entry.partition(), present);
        } catch (FileNotFoundException e) {
          // Its files are reported as missing below.
        }
    warnOfUnlisted(folder, commit, present.keySet());
    var files = new ArrayList<TableFile>();
    for (var entry : commit.entries()) {
      var status = present.get(entry.name());
      var path = child(folder, entry.name());
      if (status == null)
        throw new IllegalStateException(
            path + ": there is no such file, but commit " + commit.number() + " of the folder lists it");
      if (entry.length() >= 0 && status.getLen() != entry.length())
        throw new IllegalStateException(
            path + ": it has " + status.getLen() + " bytes, but " + entry.length() + " in commit "
                + commit.number() + " of the folder");
      files.add(TableFile.of(status, path, entry.partition(), entry.facts()));
    }
    return files;
  }

  private static void addFiles(FileStatus[] statuses, String partition, Map<String, FileStatus> files) {
    for (var status : statuses)
      if (status.isFile()) files.put(inside(partition, status.getPath().getName()), status);
  }

  /** Files that the manifest does not list, sorted by name: they were added after the commit.
   * Hidden files and auxiliary files of writers are ignored.
   */
  public static List<String> unlisted(TableManifest commit, Collection<String> names) {
    var listed = new HashSet<String>();
    for (var entry : commit.entries()) listed.add(entry.name());
    return names.stream()
        .filter(name -> !isIgnored(name.substring(name.lastIndexOf('/') + 1)) && !listed.contains(name))
        .sorted()
        .toList();
  }

  /** Logs a warning about files that are not read, once for each manifest that does not list them.
   */
  private static void warnOfUnlisted(Path folder, TableManifest commit, Collection<String> names) {
    var unlisted = unlisted(commit, names);
    if (unlisted.isEmpty() || !WARNED.add(folder + " " + commit.number() + " " + unlisted)) return;
    if (WARNED.size() > MOST_WARNED) WARNED.clear();
    LOG.warn(
        "{}: {} files are not read, because commit {} of the folder does not list them: {}. Write them by"
            + " mode append, or name them in load",
        folder, unlisted.size(), commit.number(), unlisted.subList(0, Math.min(5, unlisted.size())));
  }

  private static boolean isIgnored(String name) {
    return FolderManifest.isHidden(name) || FolderManifest.isAuxiliary(name);
  }

  /** Renames a file to an unused name; returns false if the name is in use. */
  public static boolean moveNew(FileSystem system, Path from, Path to) throws IOException {
    if ("file".equals(system.getUri().getScheme())) {
      try {
        Files.createLink(OpenStructFile.local(to), OpenStructFile.local(from));
        return true;
      } catch (FileAlreadyExistsException e) {
        return false;
      } catch (FileSystemException | UnsupportedOperationException e) {
        // Hard links are not supported, which is reported in either way: fall back to a check and a
        // rename.
      }
    }
    if (system.exists(to)) return false;
    return system.rename(from, to);
  }

  /** Deletes a file that is no longer listed, and the folders of its partition if they are empty
   * then.
   */
  public static void remove(FileSystem system, Path folder, FolderManifest.Entry entry) {
    var path = child(folder, entry.name());
    remove(system, path);
    var levels = entry.partition().isEmpty() ? 0 : entry.partition().split("/").length;
    for (int level = 0; level < levels; level++) {
      path = path.getParent();
      try {
        if (system.listStatus(path).length > 0 || !system.delete(path, false)) return;
      } catch (IOException e) {
        return; // it contains other files, or is deleted
      }
    }
  }

  /** Deletes a file or a folder that is no longer listed, even if a cancelled task still creates
   * files in it. A failure only wastes disk space, and is logged.
   */
  public static void remove(FileSystem system, Path path) {
    try {
      for (int attempt = 1; attempt <= REMOVALS; attempt++)
        if (system.delete(path, true) || !system.exists(path)) return;
      LOG.warn("{} was not deleted: it is made anew again and again", path);
    } catch (IOException e) {
      LOG.warn("{} was not deleted", path, e);
    }
  }
}

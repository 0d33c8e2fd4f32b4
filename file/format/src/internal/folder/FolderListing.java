package undercroft.file.format.internal.folder;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import undercroft.file.format.ErrorKind;
import undercroft.file.format.StructFileException;
import undercroft.file.format.internal.metadata.FileMetadata;
import undercroft.file.format.internal.storage.FileErrors;
import undercroft.file.format.internal.storage.LocalFileStorage;

/** The struct files of a folder: the files in its current manifest, or all files if it has none.
 *
 * Spark writes and reads the same manifests, so both see the same files. Files whose names begin
 * with `_` or `.`, and auxiliary files of writers, are never part of a folder. Every failure is a
 * {@link StructFileException} that names the file.
 */
public final class FolderListing {

  /** How often a folder that changes meanwhile is listed again. */
  private static final int ATTEMPTS = 100;

  /** The most nested partition folders. */
  private static final int MOST_LEVELS = 16;

  private FolderListing() {}

  /** The current manifest of a folder. Without a manifest, its number is -1, and its entries are all
   * files in the folder and in nested folders whose names are of the form `name=value`. Those
   * entries have no lengths.
   */
  public static FolderManifest current(Path folder) {
    return current(folder, FolderListing::files);
  }

  /** As above, with the entries that `files` finds in a folder without a manifest.
   *
   * A change publishes the folder's first manifest before it adds or deletes a file. So the list of
   * files is consistent if there is still no manifest after the files were listed.
   */
  public static FolderManifest current(Path folder, Function<Path, List<FolderManifest.Entry>> files) {
    var before = last(folder);
    if (before.isPresent()) return before.get();
    try {
      var entries = files.apply(folder);
      return last(folder).orElseGet(() -> new FolderManifest(-1, entries));
    } catch (StructFileException e) {
      if (e.kind() != ErrorKind.NOT_FOUND) throw e;
      return last(folder).orElseThrow(() -> e);
    }
  }

  /** The result of `open` for the current manifest. If `open` does not find a file because a commit
   * has removed it since the manifest was read, it is called again, with the new manifest.
   */
  public static <T> T opening(Path folder, Function<FolderManifest, T> open) {
    for (int attempt = 1; ; attempt++) {
      var listed = current(folder);
      try {
        return open.apply(listed);
      } catch (StructFileException e) {
        if (e.kind() != ErrorKind.NOT_FOUND || attempt == ATTEMPTS || current(folder).equals(listed)) throw e;
      }
    }
  }

  /** The current manifest of a folder, if it has one. */
  public static Optional<FolderManifest> last(Path folder) {
    for (int attempt = 1; ; attempt++) {
      long number = numbers(folder).stream().mapToLong(candidate -> candidate).max().orElse(-1);
      if (number < 0) return Optional.empty();
      var file = folder.resolve(new FolderManifest(number, List.of()).fileName());
      try {
        long size = Files.size(file);
        if (size > FolderManifest.MOST_BYTES)
          throw new StructFileException(
              file, 0, ErrorKind.CORRUPT,
              "a manifest must have at most " + FolderManifest.MOST_BYTES + " bytes, but has " + size);
        var text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
        var manifest = FolderManifest.parse(number, text);
        if (manifest.isEmpty())
          throw new StructFileException(file, 0, ErrorKind.CORRUPT, "it is not a manifest");
        return manifest;
      } catch (NoSuchFileException e) {
        // Commits delete old manifests: a newer one exists.
        if (attempt == ATTEMPTS) throw FileErrors.of(file, 0, e);
      } catch (IOException e) {
        throw FileErrors.of(file, 0, e);
      }
    }
  }

  /** The numbers of all manifests in a folder. */
  public static List<Long> numbers(Path folder) {
    var numbers = new ArrayList<Long>();
    for (var path : list(folder)) {
      long number = FolderManifest.numberOf(path.getFileName().toString());
      if (number >= 0 && Files.isRegularFile(path)) numbers.add(number);
    }
    return numbers;
  }

  /** The path of a listed file. Throws {@link ErrorKind#NOT_FOUND} if it does not exist, and {@link
   * ErrorKind#CORRUPT} if it has another length than in the manifest.
   */
  public static Path locate(Path folder, FolderManifest manifest, FolderManifest.Entry entry) {
    var path = folder.resolve(entry.name());
    try {
      long length = Files.size(path);
      if (entry.length() >= 0 && length != entry.length())
        throw new StructFileException(
            path, 0, ErrorKind.CORRUPT,
            "it has " + length + " bytes, but " + entry.length() + " in manifest " + manifest.number()
                + " of the folder");
      return path;
    } catch (NoSuchFileException e) {
      throw new StructFileException(
          path, 0, ErrorKind.NOT_FOUND, "manifest " + manifest.number() + " of the folder lists it");
    } catch (IOException e) {
      throw FileErrors.of(path, 0, e);
    }
  }

  /** The length of a sealed file, or, of a compressed one, the length of its header and rows before
   * they were compressed; -1 for a file that may grow.
   */
  public static long uncompressedLength(Path path) {
    try (var volume = LocalFileStorage.open(path, false)) {
      var contents = FileMetadata.readAny(path, volume);
      if (!contents.header().isSealed()) return -1;
      return contents.header().isCompressed() ? contents.end() : volume.size();
    } catch (IOException e) {
      throw FileErrors.of(path, 0, e);
    }
  }

  /** The files that a folder contains besides the files in its manifest: they are not read. Empty for a
   * folder without a manifest, which consists of its files.
   */
  public static List<Path> unlisted(Path folder) {
    var manifest = last(folder);
    if (manifest.isEmpty()) return List.of();
    var listed = manifest.get().names();
    var unlisted = new ArrayList<Path>();
    for (var path : walk(folder, folder, 0, false))
      if (!listed.contains(nameOf(folder, path))) unlisted.add(path);
    return unlisted;
  }

  public static List<FolderManifest.Entry> files(Path folder) {
    var entries = new ArrayList<FolderManifest.Entry>();
    for (var path : walk(folder, folder, 0, true)) {
      try {
        entries.add(new FolderManifest.Entry(-1, nameOf(folder, path)));
      } catch (IllegalArgumentException e) {
        throw new StructFileException(path, 0, ErrorKind.UNREADABLE, e.getMessage());
      }
    }
    entries.sort(FolderManifest.ORDER);
    return entries;
  }

  private static String nameOf(Path folder, Path path) {
    return folder.relativize(path).toString().replace('\\', '/');
  }

  /** The files below a folder, without hidden and auxiliary ones.
   *
   * @param strict whether a folder that is not of the form `name=value` is an error
   */
  private static List<Path> walk(Path root, Path folder, int level, boolean strict) {
    var files = new ArrayList<Path>();
    for (var path : list(folder)) {
      var name = path.getFileName().toString();
      if (FolderManifest.isHidden(name)) continue;
      if (!Files.isDirectory(path)) {
        if (!FolderManifest.isAuxiliary(name)) files.add(path);
      } else if (level < MOST_LEVELS && name.indexOf('=') > 0) files.addAll(walk(root, path, level + 1, strict));
      else if (strict)
        throw new StructFileException(
            path, 0, ErrorKind.UNREADABLE,
            "a nested folder of " + root + " must be a partition of the form name=value, at most "
                + MOST_LEVELS + " levels deep");
    }
    return files;
  }

  /** The paths in a folder, sorted by name. */
  public static List<Path> list(Path folder) {
    try (var paths = Files.newDirectoryStream(folder)) {
      var sorted = new ArrayList<Path>();
      paths.forEach(sorted::add);
      sorted.sort(Comparator.naturalOrder());
      return sorted;
    } catch (DirectoryIteratorException e) {
      throw FileErrors.of(folder, 0, e.getCause());
    } catch (UncheckedIOException e) {
      throw FileErrors.of(folder, 0, e.getCause());
    } catch (IOException e) {
      if (Files.exists(folder, LinkOption.NOFOLLOW_LINKS) && !Files.isDirectory(folder))
        throw new StructFileException(folder, 0, ErrorKind.UNREADABLE, "it is a file; expected a folder");
      throw FileErrors.of(folder, 0, e);
    }
  }
}

package undercroft.file.format.internal.folder;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import undercroft.file.format.Checksums;
import undercroft.file.format.Durability;
import undercroft.file.format.ErrorKind;
import undercroft.file.format.Evolution;
import undercroft.file.format.Field;
import undercroft.file.format.Schema;
import undercroft.file.format.StructFile;
import undercroft.file.format.StructFileException;
import undercroft.file.format.internal.evolution.SchemaMatch;
import undercroft.file.format.internal.metadata.AtomicFile;
import undercroft.file.format.internal.metadata.FileMetadata;
import undercroft.file.format.internal.storage.FileErrors;
import undercroft.file.format.internal.storage.LocalFileStorage;
import undercroft.file.format.internal.storage.WriterLock;

/** A change of the files of a folder: it adds and removes files, all at once or none.
 *
 * New files are written beside the folder's files under hidden names. `commit` gives them their
 * names and publishes a {@link FolderManifest} with the next number; until then, and after a
 * process that was killed, the folder is unchanged. Changes of several processes and threads, and
 * of Spark jobs, all take effect, one after the other. Removed files are deleted after the commit;
 * readers that have them open keep them on systems where an open file can be deleted.
 *
 * A change holds a system lock until it is closed. Files of a change whose process was killed are
 * deleted by the next commit of another change. Confined to one thread. Every failure is a {@link
 * StructFileException} and leaves the folder unchanged. Requires a local file system.
 *
 * ```text
 * _undercroft.N      the manifest; the highest N is current
 * _adding-ID         a change in progress: .lock held by its process, -K.rows its new files,
 *                    .files the names that it adds or removes, .list its manifest before it has a number
 * part-N-ID-K.rows   a file after the commit
 * NAME-ID-K.rows     a file that replaces others, of which NAME.rows or NAME-ID-K.rows was the last
 * ```
 */
public final class FolderChange implements AutoCloseable {

  /** How often a commit is retried if other changes are committed first. */
  private static final int ATTEMPTS = 1000;

  /** How often a file is moved again if the empty folder of its partition is deleted meanwhile. */
  private static final int MOVES = 100;

  /** The beginning of the names of the files of a change in progress. */
  public static final String PREFIX = "_adding-";

  private final Path folder;
  private final String id;
  private final WriterLock lock;
  private final FolderManifest first;

  /** The partition folders of each new file. */
  private final LinkedHashMap<Path, String> added = new LinkedHashMap<>();

  /** A partition for each list of names in `first`; null until the first new file. */
  private Collection<String> partitions;

  /** The schema of the new files; null if it is not known. */
  private Schema schema;

  /** The former names of the fields of that schema. */
  private Evolution evolution = Evolution.NONE;

  private final Set<FolderManifest.Entry> removed = new HashSet<>();
  private Predicate<FolderManifest.Entry> replaced = entry -> false;
  private boolean open = true;

  /** Begins a change of a folder, which is created if it does not exist. */
  public static FolderChange begin(Path folder) {
    return new FolderChange(folder);
  }

  private FolderChange(Path folder) {
    try {
      LocalFileStorage.createFolders(folder);
      this.folder = folder.toRealPath();
    } catch (FileAlreadyExistsException e) {
      throw new StructFileException(folder, 0, ErrorKind.UNREADABLE, "it is a file; expected a folder");
    } catch (IOException e) {
      throw FileErrors.of(folder, 0, e);
    }
    WriterLock taken = null;
    var candidate = "";
    for (int attempt = 1; taken == null; attempt++) {
      candidate = UUID.randomUUID().toString();
      try {
        taken = WriterLock.take(this.folder.resolve(PREFIX + candidate));
      } catch (StructFileException e) {
        // Another change is finding out whether the process of the new lock file is alive.
        if (e.kind() != ErrorKind.IN_USE || attempt == ATTEMPTS) throw e;
      }
    }
    this.id = candidate;
    this.lock = taken;
    try {
      this.first = FolderListing.current(this.folder, FolderChange::files);
    } catch (RuntimeException e) {
      try {
        lock.closeForGood();
      } catch (IOException closeError) {
        e.addSuppressed(closeError);
      }
      throw e;
    }
  }

  /** The files of the folder when the change began. */
  public FolderManifest first() {
    return first;
  }

  /** The path of a new file, which the caller writes and seals before the commit.
   *
   * @param partition the partition folders of the file, such as `day=2026-11-24`; or empty
   */
  public Path newFile(String partition) {
    checkOpen();
    if (partitions == null) partitions = partitions(first.entries());
    checkPartition(partition, partitions);
    if (!added.isEmpty()) checkPartition(partition, List.of(added.lastEntry().getValue()));
    var path = folder.resolve(PREFIX + id + "-" + added.size() + ".rows");
    added.put(path, partition);
    return path;
  }

  /** The path of a new file, as above, whose rows belong with the folder's rows. Otherwise this, or
   * the commit, fails with {@link ErrorKind#WRONG_SCHEMA}: no file has the layout of the new ones and
   * a field in common with them.
   */
  public Path newFile(String partition, Schema schema, Evolution evolution) {
    checkOpen();
    checkSchema(first.entries(), schema, evolution);
    this.schema = schema;
    this.evolution = evolution;
    return newFile(partition);
  }

  /** Throws unless a file that stays belongs with the new files, or none can be read. The last ones
   * are compared first: usually the last one suffices.
   */
  private void checkSchema(List<FolderManifest.Entry> entries, Schema schema, Evolution evolution) {
    StructFileException error = null;
    for (var entry : entries.reversed()) {
      if (removed.contains(entry) || replaced.test(entry)) continue;
      var stored = readableSchema(folder.resolve(entry.name()));
      if (stored.isEmpty()) continue;
      var difference = difference(entry.name(), stored.get(), schema, evolution);
      if (difference.isEmpty()) return;
      if (error == null) error = new StructFileException(folder, 0, ErrorKind.WRONG_SCHEMA, difference.get());
    }
    if (error != null) throw error;
  }

  /** The schema of a file, unless it cannot be read: it may be damaged, or another change may have
   * removed it.
   */
  private static Optional<Schema> readableSchema(Path path) {
    try (var volume = LocalFileStorage.open(path, false)) {
      return Optional.of(FileMetadata.readAny(path, volume).schema());
    } catch (IOException | StructFileException e) {
      return Optional.empty();
    }
  }

  /** The reason why a file does not belong with new files. */
  private static Optional<String> difference(String name, Schema stored, Schema schema, Evolution evolution) {
    if (stored.layout() != schema.layout())
      return Optional.of(
          "a new file has the layout " + schema.layout() + ", and " + name + " has " + stored.layout()
              + ": a table reads files of one layout");
    if (!SchemaMatch.haveCommonField(stored.fields(), schema.fields(), evolution))
      return Optional.of(
          "a new file has the fields (" + names(schema) + "), and " + name + " has (" + names(stored)
              + "): they must have a field of the same name, of types of which one can be read as the other");
    return Optional.empty();
  }

  private static String names(Schema schema) {
    // The cases of an enum are a field without a name.
    return String.join(", ", schema.fields().stream().map(Field::name).filter(name -> !name.isEmpty()).toList());
  }

  /** Throws if the partitions of other files of the folder have other names. */
  private void checkPartition(String partition, Collection<String> others) {
    var names = PartitionPath.names(partition);
    for (var other : others)
      if (!PartitionPath.names(other).equals(names))
        throw new StructFileException(
            folder, 0, ErrorKind.WRONG_SCHEMA,
            "its files are in partitions of (" + String.join(", ", PartitionPath.names(other))
                + "), not of (" + String.join(", ", names) + ")" + (other.isEmpty() ? "" : ": " + other));
  }

  /** A partition for each list of names among the partitions of files: usually one. */
  private static Collection<String> partitions(List<FolderManifest.Entry> entries) {
    var byNames = new HashMap<List<String>, String>();
    for (var entry : entries)
      byNames.putIfAbsent(PartitionPath.names(entry.partition()), entry.partition());
    return byNames.values();
  }

  /** Removes a file. The commit fails with {@link ErrorKind#REPLACED} if another change has removed
   * it before.
   */
  public void remove(FolderManifest.Entry entry) {
    checkOpen();
    removed.add(entry);
  }

  /** Removes all files that satisfy a predicate when the change is committed, including files that
   * other changes have added since this one began.
   */
  public void removeAll(Predicate<FolderManifest.Entry> predicate) {
    checkOpen();
    replaced = replaced.or(predicate);
  }

  /** Commits the change, and returns the names of the new files, relative to the folder. Deletes the
   * removed files; failures to do so only waste disk space.
   */
  public List<String> commit() {
    checkOpen();
    var moved = new ArrayList<String>();
    boolean isCommitted = false;
    try {
      published(); // the first manifest, before files get names in a folder without one
      var entries = new ArrayList<FolderManifest.Entry>();
      int index = 0;
      for (var file : added.entrySet()) {
        var name = names().name(file.getValue(), index++);
        if (name.isEmpty())
          throw new StructFileException(
              folder, 0, ErrorKind.UNREADABLE,
              "the names of its files leave no name for a file in the place of the removed files");
        entries.add(sealed(file.getKey(), name.get()));
      }
      writeNew(own(".files"), new FolderManifest(0, touched(entries)).text());
      index = 0;
      for (var file : added.keySet()) {
        var entry = entries.get(index++);
        moved.add(entry.name());
        move(file, entry);
      }
      forceFolders(moved);
      for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
        var before = published();
        var after = next(before, entries);
        if (!publish(after)) continue;
        if (!isInTime(after, entries))
          throw new StructFileException(
              folder, 0, ErrorKind.IN_USE,
              "other changes were committed more than " + FolderManifest.KEPT
                  + " times meanwhile, so this one is not visible");
        isCommitted = true;
        tidy(before, after);
        return moved;
      }
      throw new StructFileException(
          folder, 0, ErrorKind.IN_USE, "other changes were committed " + ATTEMPTS + " times meanwhile");
    } catch (IOException e) {
      throw FileErrors.of(folder, 0, e);
    } finally {
      if (!isCommitted) deleteUnlisted(moved);
      close();
    }
  }

  /** Deletes new files after a failure, unless the folder lists them: a failure may follow a
   * successful publication.
   */
  private void deleteUnlisted(List<String> names) {
    if (names.isEmpty()) return;
    try {
      var listed = FolderListing.current(folder).names();
      for (var name : names) if (!listed.contains(name)) UnusedFiles.deleteData(folder, name);
    } catch (StructFileException e) {
      // They waste disk space only.
    }
  }

  /** Whether a new file in the partition can have a name in the place of the files that the change
   * has removed from it so far: files are read in the order of their names.
   */
  public boolean keepsOrder(String partition) {
    return names().name(partition, added.size()).isPresent();
  }

  private List<FolderManifest.Entry> touched(List<FolderManifest.Entry> entries) {
    var touched = new ArrayList<>(entries);
    touched.addAll(removed);
    for (var entry : first.entries()) if (replaced.test(entry)) touched.add(entry);
    return touched;
  }

  private static FolderManifest.Entry sealed(Path path, String name) {
    try (var file = StructFile.open(path, Checksums.NEVER)) {
      if (file.durability() != Durability.SEALED)
        throw new StructFileException(
            path, 11, ErrorKind.UNREADABLE, "a new file must be sealed before the commit");
      var facts = FileFacts.of(file, Files.getLastModifiedTime(path).toMillis());
      return new FolderManifest.Entry(Files.size(path), name, facts);
    } catch (IOException e) {
      throw FileErrors.of(path, 0, e);
    }
  }

  private void move(Path from, FolderManifest.Entry entry) throws IOException {
    var to = folder.resolve(entry.name());
    for (int attempt = 1; ; attempt++) {
      try {
        Files.createDirectories(to.getParent());
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        return;
      } catch (NoSuchFileException | FileAlreadyExistsException e) {
        // A folder of the partition was deleted before it was used.
        if (attempt == MOVES || !Files.exists(from)) throw e;
      }
    }
  }

  /** Forces the folder and the partition folders of new files, so that all of their names are
   * durable: another change may have created a partition folder without forcing its name yet.
   */
  private void forceFolders(List<String> names) throws IOException {
    LocalFileStorage.forceFolder(own(".files"));
    var forced = new HashSet<>(Set.of(folder));
    for (var name : names)
      for (var path = folder.resolve(name); !path.equals(folder); path = path.getParent())
        if (forced.add(path.getParent())) LocalFileStorage.forceFolder(path);
  }

  /** The files after the change. */
  private FolderManifest next(FolderManifest before, List<FolderManifest.Entry> entries) {
    var after = new ArrayList<FolderManifest.Entry>();
    int found = 0;
    for (var entry : before.entries()) {
      boolean isRemoved = removed.contains(entry);
      if (isRemoved) found++;
      if (!isRemoved && !replaced.test(entry)) after.add(entry);
    }
    if (found < removed.size()) {
      var names = before.names();
      var missing = removed.stream().filter(entry -> !names.contains(entry.name())).findFirst();
      throw new StructFileException(
          missing.map(entry -> folder.resolve(entry.name())).orElse(folder), 0, ErrorKind.REPLACED,
          "another change has removed it from the folder since this one began");
    }
    // Another change may have committed the folder's first files since this one began.
    var others = partitions(after);
    for (var entry : entries) checkPartition(entry.partition(), others);
    if (schema != null && before.number() != first.number()) checkSchema(after, schema, evolution);
    after.addAll(entries);
    after.sort(FolderManifest.ORDER);
    return new FolderManifest(before.number() + 1, after, before.streams());
  }

  /** The current manifest; if there is none, publishes the first one, with the folder's files. */
  private FolderManifest published() throws IOException {
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
      var current = FolderListing.current(folder, FolderChange::files);
      if (current.number() >= 0) return current;
      // Takes effect if the next attempt finds it; another change may have published its own first.
      publish(new FolderManifest(0, current.entries()));
    }
    throw new IOException("its first manifest was not found in " + ATTEMPTS + " attempts");
  }

  /** The files of a folder without a manifest, with the lengths of sealed ones. Throws if one is not
   * a struct file.
   */
  private static List<FolderManifest.Entry> files(Path folder) {
    var entries = new ArrayList<FolderManifest.Entry>();
    for (var entry : FolderListing.files(folder)) {
      var path = folder.resolve(entry.name());
      try (var volume = LocalFileStorage.open(path, false)) {
        boolean isSealed = FileMetadata.readAny(path, volume).header().isSealed();
        entries.add(new FolderManifest.Entry(isSealed ? Files.size(path) : -1, entry.name()));
      } catch (IOException e) {
        throw FileErrors.of(path, 0, e);
      }
    }
    return entries;
  }

  /** Publishes a manifest; returns false if its number is taken. */
  private boolean publish(FolderManifest manifest) throws IOException {
    var draft = own(".list");
    try {
      Files.deleteIfExists(draft);
      writeNew(draft, manifest.text());
      var target = folder.resolve(manifest.fileName());
      try {
        Files.createLink(target, draft);
      } catch (FileAlreadyExistsException e) {
        return false;
      } catch (FileSystemException | UnsupportedOperationException e) {
        // Hard links are not supported, which is reported in either way: fall back to a check and a
        // rename.
        if (Files.exists(target)) return false;
        Files.move(draft, target, StandardCopyOption.ATOMIC_MOVE);
      }
      LocalFileStorage.forceFolder(target);
      return true;
    } finally {
      Files.deleteIfExists(draft);
    }
  }

  /** Whether a manifest, once published, was current at some time: if many newer ones exist, its
   * number may have been free only because its manifest had been deleted. Then the added files
   * decide, and for a change without added files, the removed ones.
   */
  private boolean isInTime(FolderManifest after, List<FolderManifest.Entry> entries) throws IOException {
    var last = FolderListing.last(folder).orElseThrow(() -> new IOException("its manifests are missing"));
    if (last.number() <= after.number() + FolderManifest.KEPT) return true;
    if (!entries.isEmpty()) return last.entries().containsAll(entries);
    return last.entries().stream().noneMatch(entry -> removed.contains(entry) || replaced.test(entry));
  }

  /** Deletes the files that a commit has removed, old manifests, and the files of changes whose
   * process was killed. The commit is complete: errors here do not fail it.
   */
  private void tidy(FolderManifest before, FolderManifest after) {
    var names = after.names();
    for (var entry : before.entries())
      if (!names.contains(entry.name())) UnusedFiles.deleteData(folder, entry.name());
    try {
      for (long number : FolderListing.numbers(folder))
        if (number < after.number() - FolderManifest.KEPT)
          UnusedFiles.delete(folder.resolve(new FolderManifest(number, List.of()).fileName()));
      AbandonedChanges.delete(folder, id);
    } catch (StructFileException e) {
      // The next commit tries again.
    }
  }

  private AddedNames names() {
    return new AddedNames(id, first, removed);
  }

  private Path own(String suffix) {
    return folder.resolve(PREFIX + id + suffix);
  }

  /** Writes a file and forces it to the disk. */
  private static void writeNew(Path path, String text) throws IOException {
    boolean interrupted = Thread.interrupted(); // an interrupt would close the channel
    try (var out = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      var bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
      while (bytes.hasRemaining()) out.write(bytes);
      out.force(true);
    } finally {
      if (interrupted) Thread.currentThread().interrupt();
    }
  }

  private void checkOpen() {
    if (!open) throw StructFileException.closed(folder, "the change");
  }

  /** Ends the change. If it was not committed, its new files are deleted and the folder is
   * unchanged.
   */
  @Override
  public void close() {
    if (!open) return;
    open = false;
    UnusedFiles.delete(own(".files"));
    for (var path : added.keySet()) {
      UnusedFiles.delete(path);
      UnusedFiles.delete(AtomicFile.beside(path));
      UnusedFiles.delete(path.resolveSibling(path.getFileName() + ".lock"));
    }
    try {
      lock.closeForGood();
    } catch (IOException e) {
      throw FileErrors.of(folder, 0, e);
    }
  }
}

package undercroft.tools;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A file system in memory with few bytes, for tests of a full disk.
 *
 * @param size such as `512k` or `2m`
 * @param options further mount options, such as `noexec` or `ro`
 */
public record SmallDisk(String size, List<String> options) {
  public SmallDisk(String size) {
    this(size, List.of());
  }

  /** The body of a test. */
  public interface Use {
    void on(Path folder) throws Exception;
  }

  /**
   * Mounts the disk for a test body, and unmounts it in any case. Skips the test if the process may not
   * mount.
   */
  public void use(Use use) throws Exception {
    Requirement.SMALL_DISK.require();
    var folder = Files.createTempDirectory("undercroft-small-");
    if (!mount(size, options, folder)) throw new IOException("a disk of " + size + " could not be mounted at " + folder);
    try {
      use.on(folder);
    } finally {
      unmount(folder);
      Files.delete(folder);
    }
  }

  static boolean isMountable() {
    try {
      var folder = Files.createTempDirectory("undercroft-small-");
      boolean isMounted = mount("64k", List.of(), folder);
      if (isMounted) unmount(folder);
      Files.delete(folder);
      return isMounted;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean mount(String size, List<String> options, Path folder) {
    var all = Stream.concat(Stream.of("size=" + size), options.stream()).collect(Collectors.joining(","));
    return Requirement.succeeds("mount", "-t", "tmpfs", "-o", all, "tmpfs", folder.toString());
  }

  // Lazily: a file that a failed test left open or mapped does not keep the disk.
  private static void unmount(Path folder) throws IOException {
    if (!Requirement.succeeds("umount", "-l", folder.toString()))
      throw new IOException(folder + " could not be unmounted");
  }
}

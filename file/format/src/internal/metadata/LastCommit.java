package undercroft.file.format.internal.metadata;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import undercroft.file.format.internal.storage.FileErrors;
import undercroft.file.format.internal.storage.FileStorage;
import undercroft.file.format.internal.storage.LocalFileStorage;

/** The last commit of a file whose commits force rows and header together. A loss of power before
 * the end of the force may leave the header of the commit without its rows.
 */
public final class LastCommit {
  private LastCommit() {}

  /** The rows before the last commit; all rows if there was none since a writer opened or closed
   * the file.
   */
  public static long firstRow(Path path) {
    try (var file = LocalFileStorage.open(path, false)) {
      var slots = slots(file);
      long rows = Header.of(path, slots).rows();
      if (!Header.bothHold(path, slots)) return rows;
      return Math.min(Header.slot(path, slots, 0).rows(), Header.slot(path, slots, Header.SLOT).rows());
    } catch (IOException e) {
      throw FileErrors.of(path, 0, e);
    }
  }

  /** Removes the last commit: overwrites its header, so that the one before it is valid. */
  public static void remove(Path path) {
    try (var file = LocalFileStorage.open(path, true)) {
      var slots = slots(file);
      if (!Header.bothHold(path, slots)) return;
      file.fill(Header.slotOf(Header.of(path, slots).generation()), Header.SLOT);
      file.forceAll();
    } catch (IOException e) {
      throw FileErrors.of(path, 0, e);
    }
  }

  private static ByteBuffer slots(FileStorage file) throws IOException {
    var bytes = new byte[2 * Header.SLOT];
    return ByteBuffer.wrap(bytes, 0, file.read(bytes, bytes.length, 0));
  }
}

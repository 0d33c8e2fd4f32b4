package undercroft.spark;

import java.util.Set;
import undercroft.file.format.FolderManifest;

/** The files of a folder that a job replaces by its own. */
interface Replacement {

  /** An append. */
  Replacement NOTHING = (entry, written) -> false;

  Replacement ALL = (entry, written) -> true;

  /** A dynamic overwrite: the partitions that the job writes rows to. */
  Replacement WRITTEN_PARTITIONS = (entry, written) -> written.contains(entry.partition());

  /** Whether the job replaces a file.
   *
   * @param written the partition folders of the files that the job has written
   */
  boolean replaces(FolderManifest.Entry entry, Set<String> written);
}

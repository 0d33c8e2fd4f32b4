package undercroft.spark;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import undercroft.file.format.BlockStatistics;
import undercroft.file.format.Schema;

/** The metadata of sealed files that were opened last, so that queries of a folder of many small files
 * open each of them once to be planned. A file with another length or modification time is opened
 * again. Thread-safe.
 */
final class SealedFiles {
  private SealedFiles() {}

  private static final int MOST_FILES = 20_000;

  /** The most blocks of a file whose statistics are kept; larger files are opened for each plan. */
  private static final int MOST_BLOCKS = 4;

  private record Key(String path, String partition, long length, long modified) {}

  /** @param statistics by the path of a leaf value, as far as they were needed */
  private record Known(StructFileIndex.Entry entry, Map<List<String>, List<BlockStatistics>> statistics) {}

  private static final Map<Key, Known> KNOWN =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, Known> eldest) {
          return size() > MOST_FILES;
        }
      };

  /** The schemas of the files, each once. */
  private static final Map<Schema, Schema> SCHEMAS = new LinkedHashMap<>();

  private static Key key(SourceFile source) {
    return new Key(source.path(), source.partition(), source.bytes(), source.modified());
  }

  /** The metadata of a file; opens it unless they are known. */
  static StructFileIndex.Entry of(TableFolder.TableFile file, Configuration conf) {
    var key = new Key(file.path().toString(), file.partition(), file.length(), file.modified());
    synchronized (KNOWN) {
      var known = KNOWN.get(key);
      if (known != null) return known.entry;
    }
    try (var opened = OpenStructFile.open(file.path(), conf)) {
      var source = SourceFile.of(file.path(), file.partition(), opened);
      return kept(new StructFileIndex.Entry(source, opened.file().schema()));
    }
  }

  private static StructFileIndex.Entry kept(StructFileIndex.Entry entry) {
    if (!entry.source().isSealed()) return entry;
    synchronized (KNOWN) {
      if (SCHEMAS.size() > MOST_FILES) SCHEMAS.clear();
      var schema = SCHEMAS.computeIfAbsent(entry.schema(), same -> same);
      var shared = new StructFileIndex.Entry(entry.source(), schema);
      KNOWN.put(key(entry.source()), new Known(shared, new LinkedHashMap<>()));
      return shared;
    }
  }

  /** The statistics of a value in the blocks of a sealed file; opens it unless they are known. */
  static List<BlockStatistics> statistics(SourceFile source, Schema.Leaf leaf, Configuration conf) {
    synchronized (KNOWN) {
      var statistics = Optional.ofNullable(KNOWN.get(key(source))).map(known -> known.statistics.get(leaf.path()));
      if (statistics.isPresent()) return statistics.get();
    }
    try (var opened = source.open(conf)) {
      var statistics = List.copyOf(opened.file().statistics(leaf.path()));
      synchronized (KNOWN) {
        var known = KNOWN.get(key(source));
        if (known != null && statistics.size() <= MOST_BLOCKS) known.statistics.put(leaf.path(), statistics);
      }
      return statistics;
    }
  }
}

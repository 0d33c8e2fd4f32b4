package undercroft.spark.internal.folder;

import java.nio.ByteOrder;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import undercroft.file.format.BlockStatistics;
import undercroft.file.format.Schema;
import undercroft.file.format.internal.folder.FileFacts;
import undercroft.file.format.internal.schema.SchemaCodec;

/** The metadata of sealed files: by the facts in the manifest of their folder, or else of the files that
 * were opened last, so that queries of a folder of many small files open each of them at most once to be
 * planned. A file with another length or modification time is opened again. Thread-safe.
 */
public final class SealedFiles {
  private SealedFiles() {}

  private static final int MOST_FILES = 20_000;

  /** The most blocks of a file whose statistics are kept; larger files are opened for each plan. */
  private static final int MOST_BLOCKS = 4;

  private record Key(String path, String partition, long length, long modified) {}

  /** @param facts of the manifest; or null
   * @param statistics by the path of a leaf value, as far as they were needed
   */
  private record Known(
      StructFileIndex.Entry entry, FileFacts facts, Map<List<String>, List<BlockStatistics>> statistics) {

    Optional<List<BlockStatistics>> of(Schema.Leaf leaf) {
      var known = Optional.ofNullable(statistics.get(leaf.path()));
      return facts == null ? known : known.or(() -> facts.statistics(entry.schema(), leaf).map(List::of));
    }
  }

  private record Decoded(Schema schema, long hash) {}

  private static final Map<Key, Known> KNOWN =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, Known> eldest) {
          return size() > MOST_FILES;
        }
      };

  /** The schemas of the files, each once. */
  private static final Map<Schema, Schema> SCHEMAS = new LinkedHashMap<>();

  /** The schemas of facts, by their texts. */
  private static final Map<String, Decoded> DECODED = new LinkedHashMap<>();

  private static Key key(SourceFile source) {
    return new Key(source.path(), source.partition(), source.bytes(), source.modified());
  }

  /** The metadata of a file; opens it unless they are known. */
  public static StructFileIndex.Entry of(TableFolder.TableFile file, Configuration conf) {
    var key = new Key(file.path().toString(), file.partition(), file.length(), file.modified());
    synchronized (KNOWN) {
      var known = KNOWN.get(key);
      if (known != null) return known.entry;
    }
    var facts = file.facts();
    if (facts != null) {
      var decoded = decoded(facts);
      // A file in another byte order is opened, which fails.
      if (decoded.schema.order() == ByteOrder.nativeOrder()) {
        var source = SourceFile.of(file, decoded.hash, conf);
        return kept(new StructFileIndex.Entry(source, decoded.schema), facts);
      }
    }
    try (var opened = OpenStructFile.open(file.path(), conf)) {
      var source = SourceFile.of(file.path(), file.partition(), opened);
      return kept(new StructFileIndex.Entry(source, opened.file().schema()), null);
    }
  }

  private static Decoded decoded(FileFacts facts) {
    synchronized (KNOWN) {
      if (DECODED.size() > MOST_FILES) DECODED.clear();
      return DECODED.computeIfAbsent(
          facts.schemaText(),
          _ -> {
            var schema = facts.schema();
            return new Decoded(schema, SchemaCodec.hash(schema));
          });
    }
  }

  private static StructFileIndex.Entry kept(StructFileIndex.Entry entry, FileFacts facts) {
    if (!entry.source().isSealed()) return entry;
    synchronized (KNOWN) {
      if (SCHEMAS.size() > MOST_FILES) SCHEMAS.clear();
      var schema = SCHEMAS.computeIfAbsent(entry.schema(), same -> same);
      var shared = new StructFileIndex.Entry(entry.source(), schema);
      KNOWN.put(key(entry.source()), new Known(shared, facts, new LinkedHashMap<>()));
      return shared;
    }
  }

  /** The statistics of a value in the blocks of a sealed file; opens it unless they are known. */
  public static List<BlockStatistics> statistics(SourceFile source, Schema.Leaf leaf, Configuration conf) {
    synchronized (KNOWN) {
      var statistics = Optional.ofNullable(KNOWN.get(key(source))).flatMap(known -> known.of(leaf));
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

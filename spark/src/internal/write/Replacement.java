package undercroft.spark.internal.write;

import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.spark.sql.connector.expressions.Literal;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.types.StructType;
import undercroft.file.format.internal.folder.FolderManifest;
import undercroft.spark.internal.columns.ColumnNames;
import undercroft.spark.internal.folder.PartitionColumns;

/** The files of a folder that a job replaces by its own. */
public interface Replacement {

  /** An append. */
  Replacement NOTHING = (entry, written) -> false;

  Replacement ALL = (entry, written) -> true;

  /** A dynamic overwrite: the partitions that the job writes rows to. */
  Replacement WRITTEN_PARTITIONS = (entry, written) -> written.contains(entry.partition());

  /** The partitions that satisfy predicates; empty if these do not compare partition columns with
   * values.
   *
   * @param columns the columns of the table, with the types of its partitions
   */
  static Optional<Replacement> of(
      Predicate[] predicates, StructType columns, List<String> partitions, ColumnNames names) {
    var values = new HashMap<String, Optional<Object>>();
    for (var predicate : predicates) {
      boolean isComparison = predicate.name().equals("=") || predicate.name().equals("<=>");
      if (!isComparison
          || !(predicate.children()[0] instanceof NamedReference column)
          || !(predicate.children()[1] instanceof Literal<?> literal)) return Optional.empty();
      var name = column.fieldNames()[0];
      boolean isValue = literal.value() != null || predicate.name().equals("<=>");
      boolean isPartition =
          column.fieldNames().length == 1 && partitions.contains(name)
              && columns.apply(name).dataType().equals(literal.dataType());
      if (!isValue || !isPartition) return Optional.empty();
      Optional<Object> value = Optional.ofNullable(literal.value());
      var previous = values.put(name, value);
      if (previous != null && !previous.equals(value)) return Optional.empty();
    }
    return Optional.of(
        (entry, written) ->
            values.keySet().stream()
                .allMatch(name -> PartitionColumns.value(entry, columns.apply(name), names).equals(values.get(name))));
  }

  /** Whether the job replaces a file.
   *
   * @param written the partition folders of the files that the job has written
   */
  boolean replaces(FolderManifest.Entry entry, Set<String> written);
}

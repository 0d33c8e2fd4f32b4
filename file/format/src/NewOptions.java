package undercroft.file.format;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The Options of a schema whose values are not optional in an earlier schema: a field `x` there is
 * `x.get` now, and `x.isDefined` is true in all of its rows.
 *
 * @param paths the paths of the Options, outermost first
 */
record NewOptions(List<List<String>> paths) {
  private static final String DEFINED = "isDefined";
  private static final String VALUE = "get";

  static NewOptions of(Schema from, Schema to) {
    var earlier = new HashSet<List<String>>();
    for (var leaf : from.leaves())
      if (!leaf.shared())
        for (int length = 1; length <= leaf.path().size(); length++) earlier.add(leaf.path().subList(0, length));
    var options = new NewOptions(new ArrayList<>());
    options.collect(to.fields(), List.of(), earlier);
    return options;
  }

  private void collect(List<Field> fields, List<String> path, Set<List<String>> earlier) {
    for (var field : fields) {
      // The parts of a union overlap: they keep their types.
      if (!(field instanceof Field.Record record)) continue;
      var inside = path;
      if (!record.name().isEmpty()) inside = append(path, record.name());
      boolean isOption =
          record.typeName().equals("Option")
              && record.fields().size() == 2
              && record.fields().getFirst().name().equals(DEFINED);
      var before = before(inside);
      if (isOption
          && !inside.isEmpty()
          && earlier.contains(before)
          && !earlier.contains(append(before, DEFINED))) paths.add(inside);
      collect(record.fields(), inside, earlier);
    }
  }

  private static List<String> append(List<String> path, String name) {
    var longer = new ArrayList<>(path);
    longer.add(name);
    return List.copyOf(longer);
  }

  /** The path in the earlier schema. */
  List<String> before(List<String> path) {
    var before = new ArrayList<>(path);
    // Innermost first, so that the positions of the outer ones do not change.
    for (var option : paths.reversed())
      if (path.size() > option.size()
          && path.subList(0, option.size()).equals(option)
          && path.get(option.size()).equals(VALUE)) before.remove(option.size());
    return List.copyOf(before);
  }

  /** Whether a path is the field `isDefined` of one of the Options. */
  boolean isDefined(List<String> path) {
    return path.getLast().equals(DEFINED) && paths.contains(path.subList(0, path.size() - 1));
  }
}

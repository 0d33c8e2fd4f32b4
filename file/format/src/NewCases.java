package undercroft.file.format;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The cases of enums with fields that an earlier schema of the same enum does not have. No row of
 * the earlier schema is such a case, so its fields need no values.
 *
 * @param paths the paths of the cases
 */
record NewCases(Set<List<String>> paths) {

  static NewCases of(Schema from, Schema to) {
    var cases = new HashSet<List<String>>();
    collect(to.fields(), List.of(), cases);
    var earlier = new HashSet<List<String>>();
    collect(from.fields(), List.of(), earlier);
    cases.removeAll(earlier);
    return new NewCases(cases);
  }

  private static void collect(List<Field> fields, List<String> path, Set<List<String>> cases) {
    for (var field : fields) {
      var inside = new ArrayList<>(path);
      if (!field.name().isEmpty()) inside.add(field.name());
      switch (field) {
        case Field.Leaf _ -> {}
        case Field.Record record -> collect(record.fields(), inside, cases);
        case Field.Union union -> {
          for (var member : union.members())
            if (member instanceof Field.Record record && union.name().isEmpty()) {
              var ofCase = new ArrayList<>(inside);
              ofCase.add(record.name());
              cases.add(List.copyOf(ofCase));
            }
          collect(union.members(), inside, cases);
        }
      }
    }
  }

  /** Whether a value is a field of one of the cases. */
  boolean contain(List<String> path) {
    for (int length = 1; length < path.size(); length++)
      if (paths.contains(path.subList(0, length))) return true;
    return false;
  }
}

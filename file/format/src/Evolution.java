package undercroft.file.format;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** The parts of a class that a schema does not have: the former names of its fields and enum cases, and
 * the values of fields that a file lacks. Fields are identified by their paths in the schema of the
 * class. The names of enum cases are parts of a path; the path of a case is that of its enum and its
 * name.
 *
 * @param defaults a value is evaluated when a file is opened that lacks the field; empty if it
 *     cannot be evaluated
 */
public record Evolution(
    Map<List<String>, List<String>> formerNames, Map<List<String>, Supplier<Optional<Default>>> defaults) {

  /** No former names, and zero as the value of each field that a file lacks. */
  public static final Evolution NONE = new Evolution(Map.of(), Map.of());

  public Evolution {
    formerNames = Map.copyOf(formerNames);
    defaults = Map.copyOf(defaults);
  }

  /** The value of a field.
   *
   * @param field the field, with offsets in `bytes`, in native byte order
   */
  public record Default(Field field, MemorySegment bytes) {}
}

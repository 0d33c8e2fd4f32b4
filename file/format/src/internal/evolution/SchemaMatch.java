package undercroft.file.format.internal.evolution;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import undercroft.file.format.Evolution;
import undercroft.file.format.Field;
import undercroft.file.format.LogicalKind;
import undercroft.file.format.Schema;
import undercroft.file.format.Type;
import undercroft.file.format.internal.schema.TypeConversion;

/** Finds, for each value of a schema, the value of a file's schema that it is read from. Fields and
 * enum cases are found by their names or former names, record by record. Confined to one thread.
 */
public final class SchemaMatch {
  private static final MemorySegment TRUE = MemorySegment.ofArray(new byte[] {1});

  /** The copy of one value to its place in a row.
   *
   * @param path the path of the value in the class
   * @param constant the bytes of a value that the file does not have; null for a value of the file
   * @param from the value, whose enum cases have the names that they have in the class
   * @param when the conditions under which a row has the value
   * @param elements for an array of other elements, the copies of an element; otherwise null
   */
  public record Move(
      String path, MemorySegment constant, Field.Leaf from, Field.Leaf to, List<Condition> when,
      List<Move> elements) {

    public Move {
      when = List.copyOf(when);
    }
  }

  /** Whether an enum has a case, or an Option a value: its tag is a number.
   *
   * @param constant the bytes that contain the tag; null if the row does
   * @param isCase whether it is the tag of an enum, whose cases have the same bytes
   */
  public record Condition(MemorySegment constant, Field.Leaf tag, long number, boolean isCase) {

    /** Whether it holds.
     *
     * @param at the position of the tag in the source
     */
    boolean holds(MemorySegment source, long at, ByteOrder order) {
      boolean isConstant = constant != null;
      var bytes = isConstant ? constant : source;
      long from = isConstant ? tag.offset() : at;
      var type = TypeConversion.plain(tag.type());
      var in = isConstant ? ByteOrder.nativeOrder() : order;
      if (tag.type().physical() instanceof Type.BigEndian) in = ByteOrder.BIG_ENDIAN;
      if (type instanceof Type.Ordinal ordinal) return TypeConversion.number(ordinal, bytes, from, in) == number;
      return (bytes.get(ValueLayout.JAVA_BYTE, from) != 0 ? 1 : 0) == number;
    }
  }

  private final boolean hasDimensions;
  private final boolean isProjection;
  private final Evolution evolution;

  /** The copies that read a row, in the order of the class. */
  public final List<Move> moves = new ArrayList<>();

  /** The differences without a conversion. */
  public final List<String> wrong = new ArrayList<>();

  /** Whether a field or an enum case of the class has another name in the file. */
  public boolean isRenamed;

  /** Whether a record has another meaning in the file, or none. */
  public boolean isRetyped;

  /** Whether the file lacks the dimensions of an array. */
  public boolean isReshaped;

  /** Whether the file has a value that the class does not have. */
  public boolean isPart;

  /** @param hasDimensions whether the file's schema has the dimensions of arrays; otherwise it has
   *     the total element count, which matches every array with as many elements
   * @param isProjection whether the file may have more fields
   */
  public SchemaMatch(boolean hasDimensions, boolean isProjection, Evolution evolution) {
    this.hasDimensions = hasDimensions;
    this.isProjection = isProjection;
    this.evolution = evolution;
  }

  /** Whether records with the fields `from` and records with the fields `to` have a field of the same
   * name, or a former name, of types of which one is read as the other. Enums are compared as a whole.
   *
   * @param evolution the former names of the fields of `to`
   */
  public static boolean haveCommonField(List<Field> from, List<Field> to, Evolution evolution) {
    var names = new Evolution(evolution.formerNames(), Map.of());
    if (areRead(from, to, names) || areRead(to, from, Evolution.NONE)) return true;
    if (EnumFields.of(from) != null && EnumFields.of(to) != null) return false;
    return to.stream()
        .anyMatch(
            field ->
                from.stream()
                    .anyMatch(
                        stored ->
                            areRead(List.of(stored), List.of(field), names)
                                || areRead(List.of(field), List.of(stored), Evolution.NONE)));
  }

  private static boolean areRead(List<Field> from, List<Field> to, Evolution names) {
    var match = new SchemaMatch(false, true, names);
    match.run(from, to);
    return match.wrong.isEmpty();
  }

  /** A value of the schema and the conditions of the enclosing cases and Options.
   *
   * @param constant the bytes of the source, if it is not the file
   */
  private record Position(List<String> path, MemorySegment constant, List<Condition> when) {
    Position in(Field field) {
      return field.name().isEmpty() ? this : in(field.name());
    }

    Position in(String name) {
      var longer = new ArrayList<>(path);
      longer.add(name);
      return new Position(List.copyOf(longer), constant, when);
    }

    Position of(MemorySegment bytes) {
      return new Position(path, bytes, when);
    }

    Position when(Field.Leaf tag, long number, boolean isCase) {
      var more = new ArrayList<>(when);
      more.add(new Condition(constant, tag, number, isCase));
      return new Position(path, constant, more);
    }

    String dotted() {
      return String.join(".", path);
    }
  }

  public void run(List<Field> from, List<Field> to) {
    fields(from, to, new Position(List.of(), null, List.of()));
  }

  private void fields(List<Field> from, List<Field> to, Position at) {
    var stored = EnumFields.of(from);
    var asked = EnumFields.of(to);
    if (stored != null && asked != null && (stored.hasFields() || asked.hasFields())) cases(stored, asked, at.in(asked.tag()), at);
    else byName(flat(from), flat(to), at);
  }

  private void byName(List<Field> from, List<Field> to, Position at) {
    var left = new ArrayList<>(from);
    var missing = new ArrayList<Position>();
    for (var field : to) {
      var inside = at.in(field);
      var source = find(left, field, inside);
      if (source != null) match(source, field, inside);
      else {
        missing.add(inside);
        var supplier = evolution.defaults().get(inside.path);
        if (supplier != null) defaultValue(supplier.get(), field, inside);
      }
    }
    if (left.isEmpty()) return;
    isPart = true;
    if (isProjection && missing.isEmpty()) return;
    for (var field : left) unexpected(field, at.in(field));
    if (isProjection)
      wrong.add(
          "the file lacks "
              + String.join(", ", missing.stream().map(Position::dotted).toList())
              + ", which may have one of these names in the file: a renamed field needs"
              + " @formerly, and a class that reads a part of the fields has no others");
  }

  private void defaultValue(Optional<Evolution.Default> value, Field field, Position at) {
    if (value.isPresent()) match(value.get().field(), field, at.of(value.get().bytes()));
    else
      wrong.add(
          "the file lacks the field " + at.dotted() + " of type " + description(field)
              + ", and the code that derives the Struct cannot evaluate its default argument: declare"
              + " the class at the top level or in an object");
  }

  /** Removes the field with a name, or one of its former names. */
  private Field find(List<Field> left, Field field, Position at) {
    var former = evolution.formerNames().getOrDefault(at.path, List.of());
    var found =
        left.stream()
            .filter(stored -> stored.name().equals(field.name()) || former.contains(stored.name()))
            .toList();
    if (found.isEmpty()) return null;
    var source = found.getFirst();
    boolean isAmbiguous = found.stream().anyMatch(stored -> !stored.name().equals(source.name()));
    if (isAmbiguous)
      wrong.add(
          "the file has the fields "
              + String.join(" and ", found.stream().map(Field::name).toList())
              + ", and each may be the field " + at.dotted());
    if (!source.name().equals(field.name())) isRenamed = true;
    left.removeAll(isAmbiguous ? found : found.subList(0, 1));
    return source;
  }

  private void match(Field from, Field to, Position at) {
    switch (to) {
      case Field.Leaf leaf -> {
        if (from instanceof Field.Leaf source) leaf(source, leaf, at);
        else if (from instanceof Field.Record record
            && EnumFields.of(record.fields()) instanceof EnumFields stored
            && TypeConversion.plain(leaf.type()) instanceof Type.Ordinal)
          cases(stored, new EnumFields(leaf, List.of()), at, at);
        else differs(from, to, at);
      }
      case Field.Record record -> {
        if (isOption(record)) option(from, record, at);
        else if (isOption(from) || !kindFits(from, record)) differs(from, to, at);
        else if (from instanceof Field.Record source) fields(source.fields(), record.fields(), at);
        else if (from instanceof Field.Leaf tag
            && TypeConversion.plain(tag.type()) instanceof Type.Ordinal
            && EnumFields.of(record.fields()) instanceof EnumFields asked)
          cases(new EnumFields(tag, List.of()), asked, at.in(asked.tag()), at);
        else differs(from, to, at);
      }
      case Field.Union union -> {
        if (from instanceof Field.Union source) overlapping(source, union, at);
        else differs(from, to, at);
      }
    }
  }

  /** Whether a record keeps the meaning that it has as a whole. */
  private boolean kindFits(Field from, Field.Record to) {
    var stored = from instanceof Field.Record record ? record.kind() : Optional.<LogicalKind>empty();
    if (!stored.equals(to.kind())) isRetyped = true;
    return TypeConversion.kindFits(stored.orElse(null), to.kind().orElse(null));
  }

  private void option(Field from, Field.Record to, Position at) {
    var isDefined = (Field.Leaf) to.fields().get(0);
    var value = to.fields().get(1);
    if (from instanceof Field.Record record && isOption(record)) {
      var tag = (Field.Leaf) record.fields().get(0);
      leaf(tag, isDefined, at.in(isDefined));
      match(record.fields().get(1), value, at.when(tag, 1, false).in(value));
    } else {
      var there = new Field.Leaf(isDefined.name(), 0, Type.Primitive.BOOLEAN);
      leaf(there, isDefined, at.in(isDefined).of(TRUE));
      int faults = wrong.size();
      match(from, value, at.in(value));
      if (value instanceof Field.Leaf && from instanceof Field.Leaf && wrong.size() == faults + 1) {
        wrong.removeLast();
        differs(from, to, at);
      }
    }
  }

  private static boolean isOption(Field field) {
    return field instanceof Field.Record record
        && record.typeName().equals("Option")
        && record.fields().size() == 2
        && record.fields().getFirst() instanceof Field.Leaf leaf
        && leaf.name().equals("isDefined");
  }

  /** An enum with fields: each case by its fields. Cases that the file does not have are in no row.
   */
  private void cases(EnumFields stored, EnumFields to, Position tag, Position at) {
    var from = stored.renamed(presentNames(stored.cases(), to.cases(), at));
    leaf(from.tag(), to.tag(), tag);
    for (var name : to.cases()) {
      int number = from.cases().indexOf(name);
      if (number >= 0)
        fields(from.fields(name), to.fields(name), at.when(from.tag(), number, true).in(name));
    }
  }

  /** The names of the cases of an enum in the class, for those that have former names. */
  private List<String> presentNames(List<String> stored, List<String> asked, Position at) {
    var names = new ArrayList<>(stored);
    for (var name : asked) {
      var former = evolution.formerNames().getOrDefault(at.in(name).path, List.of());
      var found = stored.stream().filter(old -> old.equals(name) || former.contains(old)).toList();
      if (found.size() > 1)
        wrong.add(
            "the enum " + at.dotted() + " of the file has the cases " + String.join(" and ", found)
                + ", and each may be the case " + name);
      else if (found.size() == 1 && !found.getFirst().equals(name)) {
        isRenamed = true;
        names.set(stored.indexOf(found.getFirst()), name);
      }
    }
    return names;
  }

  /** A type whose enum cases have the names that they have in the class. */
  private Type withPresentNames(Type from, Type to, Position at) {
    return switch (from) {
      case Type.Ordinal ordinal when TypeConversion.plain(to) instanceof Type.Ordinal asked ->
          new Type.Ordinal(ordinal.of(), presentNames(ordinal.cases(), asked.cases(), at));
      case Type.BigEndian big -> new Type.BigEndian(withPresentNames(big.of(), to, at));
      case Type.Logical logical -> new Type.Logical(withPresentNames(logical.of(), to, at), logical.kind());
      case Type.Elements array when to.physical() instanceof Type.Elements wide ->
          new Type.Elements(withPresentNames(array.of(), wide.of(), at), array.count());
      default -> from;
    };
  }

  private void leaf(Field.Leaf stored, Field.Leaf to, Position at) {
    var from = new Field.Leaf(stored.name(), stored.offset(), withPresentNames(stored.type(), to.type(), at));
    boolean reshaped = !hasDimensions && at.constant == null && TypeConversion.isReshaped(from.type(), to.type());
    if (reshaped) {
      isReshaped = true;
      move(new Field.Leaf(from.name(), from.offset(), to.type()), to, at);
    } else if (TypeConversion.fits(from.type(), to.type())) move(from, to, at);
    else if (isProjection && TypeConversion.isPart(from.type(), to.type())) {
      isPart = true;
      // Without its Option or case there is no number, and the bytes in its place may be any.
      moves.add(new Move(at.dotted(), at.constant, from, to, at.when, null));
    } else elements(from, to, at);
  }

  /** An array whose elements are converted one by one, as fields. */
  private void elements(Field.Leaf from, Field.Leaf to, Position at) {
    var stored = ArrayElements.of(from.type());
    var asked = ArrayElements.of(to.type());
    boolean isConverted =
        stored != null
            && asked != null
            && at.constant == null
            && stored.fits(asked)
            && (stored.hasStructs() || asked.hasStructs());
    if (!isConverted) {
      differs(from, to, at);
      return;
    }
    var inside = new SchemaMatch(hasDimensions, isProjection, evolution);
    var element = stored.field();
    if (asked.field() instanceof Field.Record record
        && !isOption(record)
        && !(element instanceof Field.Leaf)
        && !inside.kindFits(element, record)) {
      differs(from, to, at);
      return;
    }
    inside.match(element, asked.field(), new Position(at.path, null, List.of()));
    wrong.addAll(inside.wrong);
    isRenamed |= inside.isRenamed;
    isRetyped |= inside.isRetyped;
    isReshaped |= inside.isReshaped;
    isPart |= inside.isPart;
    // Copies of elements may store constants: without its Option the array stays zero.
    moves.add(new Move(at.dotted(), at.constant, from, to, at.when, inside.moves));
  }

  private void move(Field.Leaf from, Field.Leaf to, Position at) {
    // A value of the file is copied whether or not its Option has it: both are zero without it.
    var when =
        at.constant == null ? at.when.stream().filter(Condition::isCase).toList() : at.when;
    moves.add(new Move(at.dotted(), at.constant, from, to, when, null));
  }

  /** Overlapping values without a tag keep their types and their distances. */
  private void overlapping(Field.Union from, Field.Union to, Position at) {
    var stored = Schema.leaves(List.of(from));
    var asked = Schema.leaves(List.of(to));
    for (int i = 0; i < asked.size(); i++) {
      var target = asked.get(i);
      var source = i < stored.size() ? stored.get(i) : null;
      if (source == null
          || stored.size() != asked.size()
          || !source.path().equals(target.path())
          || !source.type().equals(target.type())
              && !source.type().equals(TypeConversion.withoutKinds(target.type()))
          || source.offset() - stored.getFirst().offset() != target.offset() - asked.getFirst().offset()) {
        differs(from, to, at);
        return;
      }
      move(
          new Field.Leaf("", source.offset(), source.type()),
          new Field.Leaf("", target.offset(), target.type()), at);
    }
  }

  /** The parts of unnamed records belong to the enclosing record. */
  private static List<Field> flat(List<Field> fields) {
    var flat = new ArrayList<Field>();
    for (var field : fields)
      if (field instanceof Field.Record record && record.name().isEmpty()) flat.addAll(flat(record.fields()));
      else flat.add(field);
    return flat;
  }

  private void unexpected(Field field, Position at) {
    if (field instanceof Field.Leaf || isOption(field))
      wrong.add("field " + at.dotted() + " of type " + description(field) + " is unexpected");
    else
      for (var leaf : Schema.leaves(List.of(field))) {
        var path = new ArrayList<>(at.path);
        path.addAll(field.name().isEmpty() ? leaf.path() : leaf.path().subList(1, leaf.path().size()));
        wrong.add(
            "field " + String.join(".", path) + " of type "
                + leaf.type().description() + " is unexpected");
      }
  }

  private void differs(Field from, Field to, Position at) {
    var stored = description(from);
    var asked = description(to);
    // Two structs may have the same name and size.
    if (stored.equals(asked)) asked = asked + " with other fields";
    wrong.add("field " + at.dotted() + " is " + stored + "; expected " + asked);
  }

  private static String description(Field field) {
    return switch (field) {
      case Field.Leaf leaf -> leaf.type().description();
      case Field.Union union -> "the union " + union.typeName();
      case Field.Record record -> {
        if (record.kind().isPresent()) yield record.kind().get().description();
        if (isOption(record)) yield "an Option of " + description(record.fields().get(1));
        var cases = EnumFields.of(record.fields());
        yield cases == null || !cases.hasFields()
            ? "the struct " + record.typeName()
            : "the enum " + record.typeName() + " of " + String.join(", ", cases.cases());
      }
    };
  }
}

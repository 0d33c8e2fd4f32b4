package undercroft.file.format;

/** An array of structs, of any number of dimensions.
 *
 * @param kind the meaning of each struct; null without one
 * @param inner the number of structs in one element of the outermost dimension
 * @param count the number of structs in all dimensions
 */
record StructElements(Type.Struct of, LogicalKind kind, int inner, int count) {

  /** The array that a type is; null for another type. */
  static StructElements of(Type type) {
    if (!(type instanceof Type.Elements array)) return null;
    if (array.of().physical() instanceof Type.Struct struct)
      return new StructElements(struct, TypeConversion.kind(array.of()), 1, array.count());
    var elements = of(array.of());
    return elements == null
        ? null
        : new StructElements(
            elements.of, elements.kind, elements.count, Math.multiplyExact(elements.count, array.count()));
  }

  /** Whether each element keeps its meaning, and its index in another array: only the outermost
   * dimension grows.
   */
  boolean fits(StructElements wide) {
    return inner == wide.inner && count <= wide.count && TypeConversion.kindFits(kind, wide.kind);
  }
}

package undercroft.struct
package internal.bytes

import scala.annotation.publicInBinary

/** Creates the parts of a shape in generated code, from arrays: the JVM's verifier loads Scala's
  * collections with a class whose code creates a list.
  */
@publicInBinary private[struct] object ShapeParts:
  def kind(primitive: Int): Shape.Kind = Shape.Kind.primitives(primitive)

  def primitive(kind: Shape.Kind): Shape = Shape.Primitive(kind)
  def primitive(kind: Shape.Kind, cases: Array[String], encoding: String): Shape =
    Shape.Primitive(kind, cases.toList, encoding)

  def record(name: String, fields: Array[Shape.Field]): Shape = Shape.Record(name, fields.toList)
  def union(name: String, members: Array[Shape.Field]): Shape = Shape.Union(name, members.toList)

  def field(name: String, shape: Shape): Shape.Field = Shape.Field(name, shape)
  def field(
      name: String,
      shape: Shape,
      alignment: Int,
      offset: Int,
      dimensions: Array[Int]
  ): Shape.Field = Shape.Field(name, shape, alignment, offset, dimensions.toList)
end ShapeParts

package undercroft.struct

import java.nio.file.Files
import org.scalacheck.Gen
import org.scalacheck.rng.Seed

/** Compares the layouts of random structs with the C compiler's layouts of the same structs. */
class CompilerLayoutTest extends undercroft.tools.Suite:
  private val structs = 300

  private def shape(depth: Int): Gen[Shape] =
    val compound =
      Gen.oneOf(Shape.Kind.TextRef, Shape.Kind.BytesRef, Shape.Kind.BigEndian(Shape.Kind.Int))
    val simple =
      Gen.oneOf(
        Gen.oneOf(Shape.Kind.primitives),
        Gen.choose(1, 20).map(Shape.Kind.Text(_)),
        arrays,
        compound
      )
    val kind =
      if depth == 0 then simple else Gen.frequency(8 -> simple, 1 -> structs(depth - 1), 1 -> union)
    val primitive = kind.map(Shape.Primitive(_))
    val inner = Gen.choose(1, 6).flatMap(record(_, depth - 1))
    val cases = Gen.choose(1, 5).flatMap(tagged(_, depth - 1))
    if depth == 0 then primitive else Gen.frequency(6 -> primitive, 1 -> inner, 1 -> cases)

  private def arrays: Gen[Shape.Kind] =
    for of <- Gen.oneOf(Shape.Kind.primitives); count <- Gen.choose(1, 9)
    yield Shape.Kind.Elements(of, count)

  private def structs(depth: Int): Gen[Shape.Kind] =
    for
      of <- Gen.choose(1, 4).flatMap(record(_, depth))
      count <- Gen.choose(1, 5)
    yield Shape.Kind.Structs(of, count)

  /** A union of members without padding. */
  private def union: Gen[Shape.Kind] =
    val member = Gen.oneOf(
      Gen.oneOf(Shape.Kind.primitives).map(Shape.Primitive(_)),
      arrays.map(Shape.Primitive(_)),
      Gen.oneOf(Shape.Kind.primitives).map: kind =>
        val fields = List("a", "b", "c").map(Shape.Field(_, Shape.Primitive(kind)))
        Shape.Record("M", fields)
    )
    Gen.choose(1, 4).flatMap(Gen.listOfN(_, member)).map: members =>
      Shape.Kind.Union(members.zipWithIndex.map((shape, i) => Shape.Field(s"m$i", shape)))

  private def record(fields: Int, depth: Int): Gen[Shape.Record] =
    Gen.listOfN(fields, Gen.zip(shape(depth), alignments)).map: shapes =>
      val members = shapes.zipWithIndex.map { case ((shape, alignment), i) =>
        (s"f$i", shape, alignment)
      }
      val shapeFields = members.map((name, shape, alignment) => Shape.Field(name, shape, alignment))
      Shape.Record("S", shapeFields)

  private def alignments: Gen[Int] = Gen.frequency(6 -> 1, 1 -> Gen.oneOf(2, 8, 16, 64))

  /** The layout of an enum: a tag, and the cases in the same bytes. */
  private def tagged(cases: Int, depth: Int): Gen[Shape.Record] =
    for
      tag <- Gen.oneOf(Shape.Kind.Byte, Shape.Kind.Short, Shape.Kind.Int)
      members <- Gen.listOfN(cases, Gen.choose(1, 4).flatMap(record(_, depth)))
    yield
      val named = members.zipWithIndex.map((member, i) => Shape.Field(s"Case$i", member))
      val fields =
        List(Shape.Field("tag", Shape.Primitive(tag)), Shape.Field("", Shape.Union("", named)))
      Shape.Record("E", fields)

  /** A program that prints each struct's size and the offsets of its leaves, one line per struct.
    */
  private def program(shapes: Seq[Shape.Record]): String =
    val parts =
      for (shape, i) <- shapes.zipWithIndex; packed <- List(false, true) yield
        val tpe = s"${if packed then "P" else "A"}$i"
        val prints = shape.leaves.map: leaf =>
          s"""printf(" %zu", offsetof($tpe, ${leaf.path.mkString(".")}));"""
        (
          s"typedef ${InC.declared(shape, packed)} $tpe;",
          s"""printf("%zu", sizeof($tpe)); ${prints.mkString(" ")} printf("\\n");"""
        )
    s"""#include <stddef.h>
       |#include <stdint.h>
       |#include <stdio.h>
       |${parts.map(_._1).mkString("\n")}
       |int main(void) {
       |${parts.map(_._2).mkString("\n")}
       |return 0; }
       |""".stripMargin

  test(s"$structs random structs have the same layout as in gcc"):
    undercroft.tools.Requirement.GCC.require()
    val seed = Seed.random()
    val shapes = Gen
      .listOfN(structs, Gen.choose(1, 12).flatMap(record(_, 3)))
      .pureApply(Gen.Parameters.default, seed)
    InC.inFolder: folder =>
      Files.writeString(folder.resolve("layouts.c"), program(shapes)): Unit
      InC.run(folder, "gcc", "-o", "layouts", "layouts.c"): Unit
      val lines = InC.run(folder, folder.resolve("layouts").toString).linesIterator.toVector
      for (shape, i) <- shapes.zipWithIndex do
        def ours(size: Int, at: Shape.Leaf => Int) = (size :: shape.leaves.map(at)).mkString(" ")
        val clue = s"seed ${seed.toBase64}, struct $i: ${InC.declared(shape, packed = false)}"
        assertEquals(ours(shape.alignedSize, _.aligned), lines(2 * i), clue)
        assertEquals(ours(shape.packedSize, _.packed), lines(2 * i + 1), clue)
end CompilerLayoutTest

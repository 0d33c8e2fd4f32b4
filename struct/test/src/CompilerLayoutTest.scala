package undercroft.struct

import java.nio.file.Files
import org.scalacheck.Gen
import org.scalacheck.rng.Seed

/** Layouts of random structs beside those that the C compiler gives the same structs. */
class CompilerLayoutTest extends undercroft.house.Suite:
  private val structs = 300

  private def shape(depth: Int): Gen[Shape] =
    val others = Gen.oneOf(Kind.TextRef, Kind.BytesRef, Kind.BigEndian(Kind.Int))
    val simple =
      Gen.oneOf(Gen.oneOf(Kind.primitives), Gen.choose(1, 20).map(Kind.Text(_)), arrays, others)
    val kind =
      if depth == 0 then simple else Gen.frequency(8 -> simple, 1 -> structs(depth - 1), 1 -> union)
    val primitive = kind.map(Shape.Primitive(_))
    val inner = Gen.choose(1, 6).flatMap(record(_, depth - 1))
    val cases = Gen.choose(1, 5).flatMap(tagged(_, depth - 1))
    if depth == 0 then primitive else Gen.frequency(6 -> primitive, 1 -> inner, 1 -> cases)

  private def arrays: Gen[Kind] =
    for of <- Gen.oneOf(Kind.primitives); count <- Gen.choose(1, 9) yield Kind.Elements(of, count)

  private def structs(depth: Int): Gen[Kind] =
    for
      of <- Gen.choose(1, 4).flatMap(record(_, depth))
      count <- Gen.choose(1, 5)
    yield Kind.Structs(of, count)

  /** Of members without padding. */
  private def union: Gen[Kind] =
    val member = Gen.oneOf(
      Gen.oneOf(Kind.primitives).map(Shape.Primitive(_)),
      arrays.map(Shape.Primitive(_)),
      Gen.oneOf(Kind.primitives).map: kind =>
        val fields = List("a", "b", "c").map(Field(_, Shape.Primitive(kind)))
        Shape.Record("M", fields)
    )
    Gen.choose(1, 4).flatMap(Gen.listOfN(_, member)).map: members =>
      Kind.Union(members.zipWithIndex.map((shape, i) => Field(s"m$i", shape)))

  private def record(fields: Int, depth: Int): Gen[Shape.Record] =
    Gen.listOfN(fields, Gen.zip(shape(depth), alignments)).map: shapes =>
      val all = shapes.zipWithIndex.map { case ((shape, alignment), i) =>
        (s"f$i", shape, alignment)
      }
      Shape.Record("S", all.map((name, shape, alignment) => Field(name, shape, alignment)))

  private def alignments: Gen[Int] = Gen.frequency(6 -> 1, 1 -> Gen.oneOf(2, 8, 16, 64))

  /** As an enum lies: a tag, and the cases in one place. */
  private def tagged(cases: Int, depth: Int): Gen[Shape.Record] =
    for
      tag <- Gen.oneOf(Kind.Byte, Kind.Short, Kind.Int)
      members <- Gen.listOfN(cases, Gen.choose(1, 4).flatMap(record(_, depth)))
    yield
      val named = members.zipWithIndex.map((member, i) => Field(s"Case$i", member))
      val fields = List(Field("tag", Shape.Primitive(tag)), Field("", Shape.Union("", named)))
      Shape.Record("E", fields)

  /** A program that prints each struct's size and where its leaves are, a line a struct. */
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

  test(s"$structs random structs lie as gcc lays them out"):
    assume(InC.compiler.isDefined, "skipped: there is no gcc on the PATH")
    val seed = Seed.random()
    val shapes = Gen
      .listOfN(structs, Gen.choose(1, 12).flatMap(record(_, 3)))
      .pureApply(Gen.Parameters.default, seed)
    InC.inFolder: folder =>
      Files.writeString(folder.resolve("layouts.c"), program(shapes)): Unit
      InC.run(folder, "gcc", "-o", "layouts", "layouts.c"): Unit
      val lines = InC.run(folder, folder.resolve("layouts").toString).linesIterator.toVector
      for (shape, i) <- shapes.zipWithIndex do
        def ours(size: Int, at: Leaf => Int) = (size :: shape.leaves.map(at)).mkString(" ")
        val clue = s"seed ${seed.toBase64}, struct $i: ${InC.declared(shape, packed = false)}"
        assertEquals(ours(shape.alignedSize, _.aligned), lines(2 * i), clue)
        assertEquals(ours(shape.packedSize, _.packed), lines(2 * i + 1), clue)
end CompilerLayoutTest

package undercroft.struct

import java.nio.file.{Files, Path}
import java.util.concurrent.TimeUnit
import org.scalacheck.Gen
import org.scalacheck.rng.Seed

/** Layouts of random structs beside those that the C compiler gives the same structs. */
class CompilerLayoutTest extends munit.FunSuite:
  private val structs = 300

  private val compiler = sys.env
    .getOrElse("PATH", "")
    .split(':')
    .map(Path.of(_).resolve("gcc"))
    .find(Files.isExecutable(_))

  private def shape(depth: Int): Gen[Shape] =
    val others = Gen.oneOf(Kind.TextRef, Kind.BytesRef, Kind.BigEndian(Kind.Int))
    val kind =
      Gen.oneOf(Gen.oneOf(Kind.primitives), Gen.choose(1, 20).map(Kind.Text(_)), arrays, others)
    val primitive = kind.map(Shape.Primitive(_))
    val inner = Gen.choose(1, 6).flatMap(record(_, depth - 1))
    val cases = Gen.choose(1, 5).flatMap(tagged(_, depth - 1))
    if depth == 0 then primitive else Gen.frequency(6 -> primitive, 1 -> inner, 1 -> cases)

  private def arrays: Gen[Kind] =
    for of <- Gen.oneOf(Kind.primitives); count <- Gen.choose(1, 9) yield Kind.Elements(of, count)

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

  private def name(kind: Kind): String = kind match
    case Kind.Boolean         => "_Bool"
    case Kind.Byte            => "int8_t"
    case Kind.Short           => "int16_t"
    case Kind.Char            => "uint16_t"
    case Kind.Int             => "int32_t"
    case Kind.Long            => "int64_t"
    case Kind.Float           => "float"
    case Kind.Double          => "double"
    case Kind.Text(_)         => "char"
    case Kind.Elements(of, _) => name(of)
    case Kind.Ordinal(of)     => s"u${name(of)}"
    case Kind.BigEndian(of)   => name(of)
    case Kind.TextRef         => "int64_t"
    case Kind.BytesRef        => "int64_t"

  private def declared(shape: Shape, packed: Boolean): String = shape match
    case Shape.Primitive(kind)   => name(kind)
    case Shape.Record(_, fields) => members("struct", fields, packed)
    case Shape.Union(_, fields)  => members("union", fields, packed)

  private def members(of: String, fields: List[Field], packed: Boolean): String =
    val all = fields.map: field =>
      val size = field.shape match
        case Shape.Primitive(Kind.Text(bytes))        => s"[$bytes]"
        case Shape.Primitive(Kind.Elements(_, count)) => s"[$count]"
        case Shape.Primitive(kind) if kind.isFar      => "[2]"
        case _                                        => ""
      val aligned =
        if packed || field.alignment <= field.shape.alignment then ""
        else s" __attribute__((aligned(${field.alignment})))"
      s"${declared(field.shape, packed)} ${field.name}$size$aligned;"
    s"$of ${if packed then "__attribute__((packed)) " else ""}{ ${all.mkString(" ")} }"

  /** A program that prints each struct's size and where its leaves are, a line a struct. */
  private def program(shapes: Seq[Shape.Record]): String =
    val parts =
      for (shape, i) <- shapes.zipWithIndex; packed <- List(false, true) yield
        val tpe = s"${if packed then "P" else "A"}$i"
        val prints = shape.leaves.map: leaf =>
          s"""printf(" %zu", offsetof($tpe, ${leaf.path.mkString(".")}));"""
        (
          s"typedef ${declared(shape, packed)} $tpe;",
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

  private def run(folder: Path, command: String*): String =
    val out = folder.resolve("out.txt").nn
    val process =
      ProcessBuilder(command*).redirectErrorStream(true).nn.redirectOutput(out.toFile).nn
    val started = process.directory(folder.toFile).nn.start().nn
    assert(started.waitFor(60, TimeUnit.SECONDS), s"${command.head} did not end")
    val said = Files.readString(out).nn
    assertEquals(started.exitValue, 0, said)
    said

  test(s"$structs random structs lie as gcc lays them out"):
    assume(compiler.isDefined, "skipped: there is no gcc on the PATH")
    val seed = Seed.random()
    val shapes = Gen
      .listOfN(structs, Gen.choose(1, 12).flatMap(record(_, 3)))
      .pureApply(Gen.Parameters.default, seed)
    val folder = Files.createTempDirectory("layouts").nn
    try
      Files.writeString(folder.resolve("layouts.c"), program(shapes))
      run(folder, "gcc", "-o", "layouts", "layouts.c"): Unit
      val lines = run(folder, folder.resolve("layouts").toString).linesIterator.toVector
      for (shape, i) <- shapes.zipWithIndex do
        def ours(size: Int, at: Leaf => Int) = (size :: shape.leaves.map(at)).mkString(" ")
        val clue = s"seed ${seed.toBase64}, struct $i: ${declared(shape, packed = false)}"
        assertEquals(ours(shape.alignedSize, _.aligned), lines(2 * i), clue)
        assertEquals(ours(shape.packedSize, _.packed), lines(2 * i + 1), clue)
    finally
      val files = Files.walk(folder).nn
      files.sorted(java.util.Comparator.reverseOrder).nn.forEach(Files.delete(_))
      files.close()
end CompilerLayoutTest

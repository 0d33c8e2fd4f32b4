package undercroft.struct

import dotty.tools.dotc.Driver
import dotty.tools.dotc.core.Contexts.NoContext
import dotty.tools.dotc.interfaces.Diagnostic
import dotty.tools.dotc.reporting.StoreReporter
import java.net.URLClassLoader
import java.nio.ByteBuffer
import java.nio.ByteOrder.{BIG_ENDIAN, LITTLE_ENDIAN}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import scala.collection.mutable.ListBuffer
import scala.util.Random

/** Values of random structs that C writes and Scala reads, and vice versa: the case classes are
  * compiled by the Scala compiler, with all generated code, and the structs by the C compiler.
  */
class CompilerValuesTest extends undercroft.tools.Suite:
  private val structs = 3

  private val kinds = Shape.Kind.primitives

  private val words = List("", "a", "né", "\uD83D\uDE00", "zzzzzzzzz")

  /** A value of a kind: its bytes in C, and its expression in Scala. */
  private def value(kind: Shape.Kind, random: Random): (Array[Byte], String) =
    def bits = random.nextInt(4) match
      case 0 => 0L
      case 1 => -1L
      case 2 => 1L << (8 * kind.size - 1)
      case _ => random.nextLong()
    val word = bits
    def bytes(order: java.nio.ByteOrder, size: Int) =
      val array = ByteBuffer.allocate(8).nn.order(order).nn.putLong(0, word).nn.array.nn
      if order.equals(BIG_ENDIAN) then array.takeRight(size) else array.take(size)
    kind match
      case Shape.Kind.Boolean => (Array((word & 1).toByte), s"${(word & 1) == 1}")
      case Shape.Kind.Byte    => (bytes(LITTLE_ENDIAN, 1), s"(${word.toByte}).toByte")
      case Shape.Kind.Short   => (bytes(LITTLE_ENDIAN, 2), s"(${word.toShort}).toShort")
      case Shape.Kind.Char    => (bytes(LITTLE_ENDIAN, 2), s"${word & 0xffff}.toChar")
      case Shape.Kind.Int     => (bytes(LITTLE_ENDIAN, 4), s"${word.toInt}")
      case Shape.Kind.Long    => (bytes(LITTLE_ENDIAN, 8), s"${word}L")
      case Shape.Kind.Float   =>
        // NaNs with their payload, too, but only quiet ones: a move need not preserve signalling
        // NaNs.
        val quiet = if (word & 0x7f800000) == 0x7f800000 then word | 0x400000 else word
        val buffer = ByteBuffer.allocate(4).nn.order(LITTLE_ENDIAN).nn.putInt(0, quiet.toInt).nn
        (buffer.array.nn, s"java.lang.Float.intBitsToFloat(${quiet.toInt})")
      case Shape.Kind.Double =>
        val exponent = 0x7ffL << 52
        val quiet = if (word & exponent) == exponent then word | (1L << 51) else word
        val buffer = ByteBuffer.allocate(8).nn.order(LITTLE_ENDIAN).nn.putLong(0, quiet).nn
        (buffer.array.nn, s"java.lang.Double.longBitsToDouble(${quiet}L)")
      case Shape.Kind.Text(n) =>
        val fitting = words.filter(_.getBytes(UTF_8).nn.length <= n)
        val text = fitting(random.nextInt(fitting.size))
        (text.getBytes(UTF_8).nn.padTo(n, 0.toByte), s"""Text[$n]("$text")""")
      case Shape.Kind.BigEndian(of) =>
        val (plain, code) = value(of, random)
        (plain.reverse, code)
      case Shape.Kind.Elements(of, n) =>
        val elements = List.fill(n)(value(of, random))
        val code = elements.map(_._2).mkString(s"InlineArray[${name(of)}, $n](", ", ", ")")
        (elements.flatMap(_._1).toArray, code)
      case other => throw IllegalArgumentException(s"no value of $other")
    end match
  end value

  private def name(kind: Shape.Kind): String = kind match
    case Shape.Kind.Text(n)         => s"Text[$n]"
    case Shape.Kind.Elements(of, n) => s"InlineArray[${name(of)}, $n]"
    case Shape.Kind.BigEndian(of)   => name(of)
    case other                      => other.toString

  /** A struct with a value: the code in Scala, and the bytes of its parts in C. */
  private final class Sample(random: Random, number: Int):
    private val classes = ListBuffer[String]()
    private val parts = ListBuffer[(String, Array[Byte])]()
    private var classCount = 0

    val (shape, code) = record(2, "s")
    def scala: String = classes.mkString("\n")
    def name: String = shape.name
    def bytes: List[(String, Array[Byte])] = parts.toList

    private def kind(): Shape.Kind = random.nextInt(10) match
      case 0 => Shape.Kind.Text(1 + random.nextInt(9))
      case 1 => Shape.Kind.Elements(kinds(random.nextInt(8)), 1 + random.nextInt(5))
      case 2 => Shape.Kind.Elements(Shape.Kind.Text(4), 1 + random.nextInt(3))
      case 3 => Shape.Kind.BigEndian(kinds.filter(_.size > 1)(random.nextInt(6)))
      case _ => kinds(random.nextInt(8))

    /** A record as a field at a path in C, and its value in Scala. */
    private def record(depth: Int, at: String): (Shape.Record, String) =
      classCount += 1
      val name = s"S${number}_$classCount"
      val fields = List.tabulate(1 + random.nextInt(9)): i =>
        field(s"f$i", depth, s"$at.f$i")
      val members = fields.map(_._2)
      classes += s"case class $name(${members.mkString(", ")}) derives Struct"
      (Shape.Record(name, fields.map(_._1)), s"$name(${fields.map(_._3).mkString(", ")})")

    private def field(own: String, depth: Int, at: String): (Shape.Field, String, String) =
      random.nextInt(if depth == 0 then 6 else 8) match
        case 6 =>
          val (shape, code) = record(depth - 1, at)
          (Shape.Field(own, shape), s"$own: ${shape.name}", code)
        case 7 =>
          val count = 1 + random.nextInt(3)
          val (shape, first) = record(0, s"$at[0]")
          val own0 = parts.filter(_._1.startsWith(s"$at[0].")).toList
          for i <- 1 until count; (path, bytes) <- own0 do
            parts += (s"$at[$i]${path.stripPrefix(s"$at[0]")}" -> bytes)
          val code = s"InlineArray.fill[${shape.name}, $count]($first)"
          val of = Shape.Primitive(Shape.Kind.Structs(shape, count))
          (Shape.Field(own, of), s"$own: InlineArray[${shape.name}, $count]", code)
        case _ =>
          val kind = this.kind()
          val (bytes, code) = value(kind, random)
          parts += (at -> bytes)
          val order = kind match
            case Shape.Kind.BigEndian(_) => "@bigEndian "
            case _                       => ""
          (
            Shape.Field(own, Shape.Primitive(kind)),
            s"$order$own: ${CompilerValuesTest.this.name(kind)}",
            code
          )
  end Sample

  /** One object for all samples; the test calls its methods by name. */
  private def scalaOf(samples: List[Sample]): String =
    val cases = samples.zipWithIndex.map: (sample, i) =>
      s"""  def stored$i(): Array[Array[Byte]] = both(Array(${sample.code}))
         |  def loaded$i(aligned: Array[Byte], packed: Array[Byte]): Boolean =
         |    Region.scoped:
         |      val value = ${sample.code}
         |      val rows = Rows[${sample.name}](3)
         |      val dense = PackedRows[${sample.name}](3)
         |      rows.segment.asSlice(0, aligned.length).copyFrom(MemorySegment.ofArray(aligned))
         |      dense.segment.asSlice(0, packed.length).copyFrom(MemorySegment.ofArray(packed))
         |      rows(1) = rows(0)
         |      dense(1) = dense(0)
         |      rows(2) = value
         |      dense(2) = value
         |      val columns = Columns.from(Vector(rows(0), dense(0), value))
         |      rows.contentEqualsAt(0, 2) && rows.contentEqualsAt(1, 2) && dense.contentEqualsAt(0, 2) && dense.contentEqualsAt(1, 2) &&
         |      columns.contentEqualsAt(0, 1) && columns.contentEqualsAt(1, 2) && rows.hashAt(0) == rows.hashAt(2)
         |""".stripMargin
    s"""import java.lang.foreign.{MemorySegment, ValueLayout}
       |import undercroft.memory.*
       |import undercroft.struct.*
       |${samples.map(_.scala).mkString("\n")}
       |object Samples:
       |  inline def both[T: Struct](values: Array[T]): Array[Array[Byte]] =
       |    Region.scoped:
       |      val (rows, packed) = (Rows[T](1), PackedRows[T](1))
       |      rows(0) = values(0)
       |      packed(0) = values(0)
       |      Array(
       |        rows.segment.toArray(ValueLayout.JAVA_BYTE),
       |        packed.segment.toArray(ValueLayout.JAVA_BYTE)
       |      )
       |${cases.mkString("\n")}
       |""".stripMargin
  end scalaOf

  /** A program that writes all values to files, or checks the values in existing files. */
  private def cOf(samples: List[Sample]): String =
    def literal(bytes: Array[Byte]) = bytes.map(_ & 0xff).mkString("(uint8_t[]){", ",", "}")
    val blocks =
      for (sample, i) <- samples.zipWithIndex; packed <- List(false, true) yield
        val tpe = s"${if packed then "P" else "A"}$i"
        val puts = sample.bytes.map: (path, bytes) =>
          s"memcpy(&$path, ${literal(bytes)}, ${bytes.length});"
        val checks = sample.bytes.map: (path, bytes) =>
          s"""if (memcmp(&$path, ${literal(bytes)}, ${bytes.length})) printf("$tpe $path\\n");"""
        (
          s"typedef ${InC.declared(sample.shape, packed)} $tpe;",
          s"""{ $tpe s; memset(&s, 0, sizeof s);
             |if (write) { ${puts.mkString(" ")}
             |FILE *f = fopen("c$tpe", "wb"); fwrite(&s, sizeof s, 1, f); fclose(f); }
             |else { FILE *f = fopen("s$tpe", "rb");
             |if (!f || fread(&s, sizeof s, 1, f) != 1) printf("$tpe has no value\\n");
             |${checks.mkString(" ")} if (f) fclose(f); } }""".stripMargin
        )
    s"""#include <stdint.h>
       |#include <stdio.h>
       |#include <string.h>
       |${blocks.map(_._1).mkString("\n")}
       |int main(int count, char **all) { int write = count > 1;
       |${blocks.map(_._2).mkString("\n")}
       |return 0; }
       |""".stripMargin
  end cOf

  private def compiled(source: String, folder: Path): Unit =
    val file = folder.resolve("Samples.scala").nn
    Files.writeString(file, source): Unit
    val path = System.getProperty("java.class.path").nn
    val arguments =
      Array("-classpath", path, "-color:never", "-d", folder.toString, file.toString)
    val reporter = StoreReporter()
    val _ = Driver().process(arguments, reporter, null)
    val errors =
      reporter.removeBufferedMessages(using NoContext).filter(_.level == Diagnostic.ERROR)
    assert(errors.isEmpty, errors.map(_.message).mkString(s"$source\n", "\n", ""))

  test(s"C and Struct read the same values of $structs random structs".tag(LongTest)):
    undercroft.tools.Requirement.GCC.require()
    val seed = Random.nextLong()
    val random = Random(seed)
    val samples = List.tabulate(structs)(Sample(random, _))
    InC.inFolder: folder =>
      compiled(scalaOf(samples), folder)
      Files.writeString(folder.resolve("values.c"), cOf(samples)): Unit
      InC.run(folder, "gcc", "-w", "-o", "values", "values.c"): Unit
      InC.run(folder, folder.resolve("values").toString, "write"): Unit
      val loader = URLClassLoader(Array(folder.toUri.nn.toURL), getClass.getClassLoader)
      try
        val code = loader.loadClass("Samples").nn
        for i <- samples.indices do
          val clue = s"seed $seed, struct $i: ${samples(i).scala} ${samples(i).code}"
          val stored = code.getMethod(s"stored$i").nn.invoke(null).asInstanceOf[Array[Array[Byte]]]
          Files.write(folder.resolve(s"sA$i"), stored(0)): Unit
          Files.write(folder.resolve(s"sP$i"), stored(1)): Unit
          val bytes = classOf[Array[Byte]]
          val load = code.getMethod(s"loaded$i", bytes, bytes).nn
          val aligned = Files.readAllBytes(folder.resolve(s"cA$i"))
          val packed = Files.readAllBytes(folder.resolve(s"cP$i"))
          assertEquals(load.invoke(null, aligned, packed), true: Any, clue)
        assertEquals(InC.run(folder, folder.resolve("values").toString), "", s"seed $seed")
      finally loader.close()
end CompilerValuesTest

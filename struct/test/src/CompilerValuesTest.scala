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

/** Values of random structs that C writes and we read, and the other way round: the case classes
  * are compiled by the Scala compiler, with all that is generated for them, and the structs by C's.
  */
class CompilerValuesTest extends undercroft.house.Suite:
  private val structs = 3

  private val kinds = Kind.primitives

  private val words = List("", "a", "né", "\uD83D\uDE00", "zzzzzzzzz")

  /** A value of a kind: its bytes as C has them, and as Scala says it. */
  private def value(kind: Kind, random: Random): (Array[Byte], String) =
    def bits = random.nextInt(4) match
      case 0 => 0L
      case 1 => -1L
      case 2 => 1L << (8 * kind.size - 1)
      case _ => random.nextLong()
    val word = bits
    def bytes(order: java.nio.ByteOrder, size: Int) =
      val all = ByteBuffer.allocate(8).nn.order(order).nn.putLong(0, word).nn.array.nn
      if order.equals(BIG_ENDIAN) then all.takeRight(size) else all.take(size)
    kind match
      case Kind.Boolean => (Array((word & 1).toByte), s"${(word & 1) == 1}")
      case Kind.Byte    => (bytes(LITTLE_ENDIAN, 1), s"(${word.toByte}).toByte")
      case Kind.Short   => (bytes(LITTLE_ENDIAN, 2), s"(${word.toShort}).toShort")
      case Kind.Char    => (bytes(LITTLE_ENDIAN, 2), s"${word & 0xffff}.toChar")
      case Kind.Int     => (bytes(LITTLE_ENDIAN, 4), s"${word.toInt}")
      case Kind.Long    => (bytes(LITTLE_ENDIAN, 8), s"${word}L")
      case Kind.Float   =>
        // NaNs too, with what they carry; those that signal need not survive a move.
        val quiet = if (word & 0x7f800000) == 0x7f800000 then word | 0x400000 else word
        val all = ByteBuffer.allocate(4).nn.order(LITTLE_ENDIAN).nn.putInt(0, quiet.toInt).nn
        (all.array.nn, s"java.lang.Float.intBitsToFloat(${quiet.toInt})")
      case Kind.Double =>
        val exponent = 0x7ffL << 52
        val quiet = if (word & exponent) == exponent then word | (1L << 51) else word
        val all = ByteBuffer.allocate(8).nn.order(LITTLE_ENDIAN).nn.putLong(0, quiet).nn
        (all.array.nn, s"java.lang.Double.longBitsToDouble(${quiet}L)")
      case Kind.Text(n) =>
        val fitting = words.filter(_.getBytes(UTF_8).nn.length <= n)
        val text = fitting(random.nextInt(fitting.size))
        (text.getBytes(UTF_8).nn.padTo(n, 0.toByte), s"""Text[$n]("$text")""")
      case Kind.BigEndian(of) =>
        val (plain, code) = value(of, random)
        (plain.reverse, code)
      case Kind.Elements(of, n) =>
        val all = List.fill(n)(value(of, random))
        (all.flatMap(_._1).toArray, all.map(_._2).mkString(s"Inline[${name(of)}, $n](", ", ", ")"))
      case other => throw IllegalArgumentException(s"no value of $other")
    end match
  end value

  private def name(kind: Kind): String = kind match
    case Kind.Text(n)         => s"Text[$n]"
    case Kind.Elements(of, n) => s"Inline[${name(of)}, $n]"
    case Kind.BigEndian(of)   => name(of)
    case other                => other.toString

  /** A struct with a value: in Scala, and as the bytes of its parts in C. */
  private final class Sample(random: Random, number: Int):
    private val classes = ListBuffer[String]()
    private val parts = ListBuffer[(String, Array[Byte])]()
    private var made = 0

    val (shape, code) = record(2, "s")
    def scala: String = classes.mkString("\n")
    def name: String = shape.name
    def bytes: List[(String, Array[Byte])] = parts.toList

    private def kind(): Kind = random.nextInt(10) match
      case 0 => Kind.Text(1 + random.nextInt(9))
      case 1 => Kind.Elements(kinds(random.nextInt(8)), 1 + random.nextInt(5))
      case 2 => Kind.Elements(Kind.Text(4), 1 + random.nextInt(3))
      case 3 => Kind.BigEndian(kinds.filter(_.size > 1)(random.nextInt(6)))
      case _ => kinds(random.nextInt(8))

    /** A record as a field at a place in C; its value in Scala. */
    private def record(depth: Int, at: String): (Shape.Record, String) =
      made += 1
      val name = s"S${number}_$made"
      val fields = List.tabulate(1 + random.nextInt(9)): i =>
        field(s"f$i", depth, s"$at.f$i")
      val members = fields.map(_._2)
      classes += s"case class $name(${members.mkString(", ")}) derives Struct"
      (Shape.Record(name, fields.map(_._1)), s"$name(${fields.map(_._3).mkString(", ")})")

    private def field(own: String, depth: Int, at: String): (Field, String, String) =
      random.nextInt(if depth == 0 then 6 else 8) match
        case 6 =>
          val (shape, code) = record(depth - 1, at)
          (Field(own, shape), s"$own: ${shape.name}", code)
        case 7 =>
          val count = 1 + random.nextInt(3)
          val (shape, first) = record(0, s"$at[0]")
          val own0 = parts.filter(_._1.startsWith(s"$at[0].")).toList
          for i <- 1 until count; (path, bytes) <- own0 do
            parts += (s"$at[$i]${path.stripPrefix(s"$at[0]")}" -> bytes)
          val code = s"Inline.fill[${shape.name}, $count]($first)"
          val of = Shape.Primitive(Kind.Structs(shape, count))
          (Field(own, of), s"$own: Inline[${shape.name}, $count]", code)
        case _ =>
          val kind = this.kind()
          val (bytes, code) = value(kind, random)
          parts += (at -> bytes)
          val order = kind match
            case Kind.BigEndian(_) => "@bigEndian "
            case _                 => ""
          (
            Field(own, Shape.Primitive(kind)),
            s"$order$own: ${CompilerValuesTest.this.name(kind)}",
            code
          )
  end Sample

  /** One object for all samples, called by its methods' names. */
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
         |      rows.sameAt(0, 2) && rows.sameAt(1, 2) && dense.sameAt(0, 2) && dense.sameAt(1, 2) &&
         |      columns.sameAt(0, 1) && columns.sameAt(1, 2) && rows.hashAt(0) == rows.hashAt(2)
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

  /** A program that writes all values to files, or checks those that it finds there. */
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

  test(s"values of $structs random structs are the same to C and to us"):
    assume(InC.compiler.isDefined, "skipped: there is no gcc on the PATH")
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
        val made = loader.loadClass("Samples").nn
        for i <- samples.indices do
          val clue = s"seed $seed, struct $i: ${samples(i).scala} ${samples(i).code}"
          val stored = made.getMethod(s"stored$i").nn.invoke(null).asInstanceOf[Array[Array[Byte]]]
          Files.write(folder.resolve(s"sA$i"), stored(0)): Unit
          Files.write(folder.resolve(s"sP$i"), stored(1)): Unit
          val bytes = classOf[Array[Byte]]
          val load = made.getMethod(s"loaded$i", bytes, bytes).nn
          val aligned = Files.readAllBytes(folder.resolve(s"cA$i"))
          val packed = Files.readAllBytes(folder.resolve(s"cP$i"))
          assertEquals(load.invoke(null, aligned, packed), true: Any, clue)
        assertEquals(InC.run(folder, folder.resolve("values").toString), "", s"seed $seed")
      finally loader.close()
end CompilerValuesTest

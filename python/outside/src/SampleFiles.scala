package outside.python

import java.nio.file.{Files, Path}
import undercroft.file.*
import undercroft.file.format.Durability
import undercroft.file.samples.{Change, Color, Everything}
import undercroft.struct.*

/** Struct files of every kind and layout. Beside each is a JSON with its values, or with the name
  * of the error that reading or `verify` must raise.
  */
final class SampleFiles(folder: Path):
  private val Rows70 = 70
  private val Many = 200_000
  private val Page = 4096

  def write(): Unit =
    for durability <- Durability.values do
      everything(Rows, "rows", durability)
      everything(PackedRows, "packed", durability)
      everything(Columns, "columns", durability)
    rare(Rows, "rows")
    rare(PackedRows, "packed")
    rare(Columns, "columns")
    changes(Rows, "rows")
    changes(PackedRows, "packed")
    changes(Columns, "columns")
    visits(Rows, "rows")
    visits(PackedRows, "packed")
    visits(Columns, "columns")
    day(Rows, "rows")
    day(PackedRows, "packed")
    day(Columns, "columns")
    corrupt()

  private def finish(table: FileTable[?, ?], durability: Durability): Unit =
    durability match
      case Durability.SEALED => table.seal()
      case _                 => table.commit()
    table.close()

  /** A compressed copy of a sealed file, under the name with `-compressed` at its end. */
  private def compressed(name: String): String =
    val copy = s"${name.stripSuffix("-sealed")}-compressed"
    compressFile(path(name), path(copy))
    copy

  private def create(durability: Durability): Durability =
    if durability == Durability.SEALED then Durability.COMMITTED else durability

  private inline def everything[L <: Layout](
      tables: TableFactory[L],
      layout: String,
      durability: Durability
  ): Unit =
    for count <- Seq(Rows70, 0) do
      val name = s"everything$count-$layout-${durability.toString.toLowerCase}"
      val table =
        tables.create[Everything](path(name), maxRows = 100, durability = create(durability))
      table.appendAll((0 until count).map(Everything.of))
      finish(table, durability)
      values(name, layout, durability, (0 until count).map(expected))
      if durability == Durability.SEALED then
        values(compressed(name), layout, durability, (0 until count).map(expected))

  private inline def rare[L <: Layout](tables: TableFactory[L], layout: String): Unit =
    val name = s"rare-$layout-sealed"
    val table = tables.create[Rare](path(name), maxRows = 100)
    table.appendAll((0 until Rows70).map(Rare.of))
    finish(table, Durability.SEALED)
    for file <- Seq(name, compressed(name)) do
      values(file, layout, Durability.SEALED, (0 until Rows70).map(Rare.expected))

  /** A table whose row type is an enum with fields. */
  private inline def changes[L <: Layout](tables: TableFactory[L], layout: String): Unit =
    val name = s"changes-$layout-committed"
    val table = tables.create[Change](path(name), maxRows = 100)
    table.appendAll((0 until Rows70).map(change))
    finish(table, Durability.COMMITTED)
    values(name, layout, Durability.COMMITTED, (0 until Rows70).map(expectedChange))

  /** A table of logical types; its JSON has the values as texts. */
  private inline def visits[L <: Layout](tables: TableFactory[L], layout: String): Unit =
    val name = s"visits-$layout-sealed"
    val table = tables.create[Visit](path(name), maxRows = 100)
    table.appendAll((0 until Rows70).map(Visit.of))
    finish(table, Durability.SEALED)
    for file <- Seq(name, compressed(name)) do
      values(file, layout, Durability.SEALED, (0 until Rows70).map(Visit.expected))

  /** A table of several blocks. */
  private inline def day[L <: Layout](tables: TableFactory[L], layout: String): Unit =
    val name = s"day-$layout-sealed"
    val table = tables.create[Trade](path(name), maxRows = Many)
    table.appendAll(Iterator.range(0, Many).map(Trade.of))
    finish(table, Durability.SEALED)
    for file <- Seq(name, compressed(name)) do
      values(file, layout, Durability.SEALED, Nil, Map("trades" -> Many))

  /** Copies with one fault each. */
  private def corrupt(): Unit =
    val live = bytes("everything70-rows-committed")
    val sealedDay = bytes("day-columns-sealed")
    for (size, error) <- Seq(
        0 -> "NotAStructFileError",
        7 -> "NotAStructFileError",
        100 -> "TruncatedFileError",
        2 * Page + 10 -> "TruncatedFileError",
        3 * Page + 1000 -> "TruncatedFileError"
      )
    do fault(s"cut$size", live.take(size), error)
    fault("cut-sealed", sealedDay.dropRight(1), "TruncatedFileError")
    fault("longer-sealed", sealedDay :+ 0.toByte, "CorruptFileError")
    fault("text", "ticket,amount,price\n1,2,3\n".repeat(1000).getBytes, "NotAStructFileError")
    fault("headers", flip(flip(live, 20), Page + 20), "CorruptFileError")
    fault("schema", flip(live, 2 * Page + 5), "ChecksumError")
    fault("sealed-header", flip(sealedDay, 20), "CorruptFileError")
    fault("block", flip(sealedDay, 3 * Page + 1_000_003), "ChecksumError", atVerify = true)
    fault("block-table", flip(sealedDay, sealedDay.length - 1), "ChecksumError", atVerify = true)
    val compressedDay = bytes("day-columns-compressed")
    fault("compressed-block", flip(compressedDay, 4 * Page), "ChecksumError", atVerify = true)
    fault("compressed-table", flip(compressedDay, compressedDay.length - 1), "ChecksumError")
    fault("compressed-cut", compressedDay.dropRight(1), "TruncatedFileError")
  end corrupt

  private def flip(from: Array[Byte], at: Int): Array[Byte] =
    val copy = from.clone
    copy(at) = (copy(at) ^ 0x10).toByte
    copy

  private def fault(
      name: String,
      content: Array[Byte],
      error: String,
      atVerify: Boolean = false
  ): Unit =
    val _ = Files.write(path(s"fault-$name"), content)
    json(s"fault-$name", Map("error" -> error, "atVerify" -> atVerify))

  private def values(
      name: String,
      layout: String,
      durability: Durability,
      rows: Seq[Any],
      more: Map[String, Any] = Map.empty
  ): Unit =
    val about = Map("layout" -> layout, "durability" -> durability.toString.toLowerCase)
    json(name, about ++ more + ("rows" -> rows))

  private def path(name: String): Path = folder.resolve(s"$name.struct")

  private def bytes(name: String): Array[Byte] = Files.readAllBytes(path(name))

  private def json(name: String, value: Any): Unit =
    val _ = Files.writeString(folder.resolve(s"$name.json"), Json.render(value))

  private def change(i: Int): Change = Everything.of(i).change

  private def expectedChange(i: Int): Any = i % 3 match
    case 0 => kase("Opened")
    case 1 => kase("Traded", "price" -> i * 1000, "color" -> Color.fromOrdinal(i % 2).toString)
    case _ => kase("Renamed", "name" -> s"a longer name $i")

  private def when(condition: Boolean)(value: Any): Any = if condition then value else null

  private def expected(i: Int): Map[String, Any] = Map(
    "bool" -> (i % 2 == 0),
    "byte" -> (-i).toByte,
    "short" -> (i * 100).toShort,
    "char" -> 'é',
    "int" -> -i * 1000,
    "long" -> (Long.MaxValue - i),
    "float" -> i * 0.25,
    "double" -> i * -0.125,
    "text" -> (if i % 2 == 0 then s"naïve $i" else s"a longer text $i"),
    "option" -> when(i % 2 == 0)(i),
    "absent" -> when(i % 3 == 0)(point(i, 1)),
    "nested" -> when(i % 4 > 0)(Map("Some" -> when(i % 4 > 1)(i))),
    "named" -> when(i % 5 > 0)(s"n$i"),
    "color" -> Color.fromOrdinal(i % 3).toString,
    "maybe" -> when(i % 3 == 1)("Blue"),
    "change" -> expectedChange(i),
    "point" -> point(i, 7),
    "array" -> Seq(i, 0, -i),
    "flags" -> Seq(i % 2 == 0, true, i % 3 == 0),
    "matrix" -> Seq(Seq(i, 1), Seq(2, 3)),
    "points" -> Seq(point(1, 2), point(i, 3)),
    "pair" -> Map("_1" -> i, "_2" -> 5),
    "big" -> (0x01020304 + i)
  )
end SampleFiles

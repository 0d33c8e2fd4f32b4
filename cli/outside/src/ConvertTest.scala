package outside.cli

import java.nio.file.{Files, Path}
import java.time.LocalDate
import undercroft.file.*
import undercroft.struct.*

final case class Row(
    ticket: Long,
    price: Option[Double],
    buy: Boolean,
    name: Text[7],
    day: LocalDate
) derives Struct

enum Side derives Struct, CanEqual:
  case Buy, Sell

final case class Corner(x: Int, y: Int) derives Struct
final case class Order(id: Int, side: Side, corner: Corner, note: Option[Text[5]]) derives Struct
final case class Crate(low: Corner, high: Option[Corner], weight: Option[Int]) derives Struct
final case class Parcel(side: Side, label: Text[3], cents: Long) derives Struct
final case class Shipment(id: Int, crate: Crate, parcel: Option[Parcel]) derives Struct
final case class Names(`my "x"`: Long, `it's`: Option[Text[1]]) derives Struct
final case class Odd(s: Option[Names]) derives Struct
final case class LooseParcel(side: Text[4], label: Text[3], cents: Long) derives Struct
final case class Loose(id: Int, crate: Crate, parcel: Option[LooseParcel]) derives Struct
final case class Flat(id: Int, side: Side, note: Option[Text[5]]) derives Struct

/** Files that are converted to struct files and back. */
class ConvertTest extends CliSuite:

  private val lines = Seq(
    "ticket,price,buy,name,day",
    "1,2.5,true,Ann,2026-01-02",
    "2,,false,\"Bob, jr\",2026-01-03",
    "-3,7.25,true,Żó€,2026-01-04"
  )

  private def read(path: Path, layout: String): Vector[Row] = layout match
    case "rows" =>
      val rows = Rows.openReadOnly[Row](path)
      try rows.toVector
      finally rows.close()
    case "packed" =>
      val rows = PackedRows.openReadOnly[Row](path)
      try rows.toVector
      finally rows.close()
    case _ =>
      val rows = Columns.openReadOnly[Row](path)
      try rows.toVector
      finally rows.close()

  private val layouts = Seq("rows", "packed", "columns")

  for layout <- layouts do
    inFolder(s"a CSV file becomes $layout that Scala reads; an empty cell is None"): folder =>
      write(folder, "t.csv", lines*)
      done(run(folder)("convert", "./t.csv", "./t.data", "--layout", layout))
      assertEquals(
        read(folder.resolve("t.data"), layout),
        Vector(
          Row(1, Some(2.5), true, Text("Ann"), LocalDate.of(2026, 1, 2)),
          Row(2, None, false, Text("Bob, jr"), LocalDate.of(2026, 1, 3)),
          Row(-3, Some(7.25), true, Text("Żó€"), LocalDate.of(2026, 1, 4))
        )
      )

  inFolder("a file keeps its rows through every format"): folder =>
    write(folder, "t.csv", lines*)
    val path = Seq(
      "a.rows",
      "b.parquet",
      "c.packed",
      "d.json",
      "e.columns",
      "f.jsonl",
      "g.tsv",
      "h.csv.gz",
      "i.rows"
    )
    for ((from, to), i) <- ("t.csv" +: path).zip(path).zipWithIndex do
      val layout = if FileNames.isStruct(to) then Seq("--layout", layouts(i % 3)) else Nil
      done(run(folder)(Seq("convert", s"./$from", s"./$to") ++ layout*))
      // Texts that look like dates are dates in some formats: their texts are equal.
      assertEquals(
        done(run(folder)("head", s"./$to", "--csv")).lines,
        lines.toList,
        to
      )
    assertEquals(names(folder), path.toSet + "t.csv")

  inFolder("a batch boundary and the padding of columns lose no row"): folder =>
    done(run(folder)(
      "sql",
      "copy (select i, i * i as square, if(i % 7 = 0, null, i::varchar) as text from range(250001) t(i)) to '" + folder.resolve(
        "n.parquet"
      ) + "'"
    ))
    for layout <- layouts do
      done(run(folder)("convert", "./n.parquet", s"./n.$layout", "--layout", layout))
      assertEquals(run(folder)("diff", "./n.parquet", s"./n.$layout"), Outcome(0, "", ""), layout)
      assertEquals(
        done(run(folder)("verify", s"./n.$layout")).out.linesIterator.next(),
        s"$folder/n.$layout: 250001 rows, all checksums are correct"
      )

  private def orders(folder: Path): Unit =
    val file = Rows.create[Order](folder.resolve("orders.rows"))
    try
      file += Order(1, Side.Sell, Corner(3, 4), Some(Text("new")))
      file += Order(2, Side.Buy, Corner(-3, 0), None)
      file.seal()
    finally file.close()

  inFolder("enums and Options of a file that Scala wrote are kept by a copy to another layout"):
    folder =>
      val file = Rows.create[Flat](folder.resolve("flat.rows"))
      try
        file += Flat(1, Side.Sell, Some(Text("new")))
        file += Flat(2, Side.Buy, None)
        file.seal()
      finally file.close()
      done(run(folder)("convert", "./flat.rows", "./flat.columns", "--name", "Flat"))
      assertEquals(run(folder)("diff", "./flat.rows", "./flat.columns"), Outcome(0, "", ""))
      val flat = Columns.openReadOnly[Flat](folder.resolve("flat.columns"))
      try assertEquals(
          flat.toVector,
          Vector(Flat(1, Side.Sell, Some(Text("new"))), Flat(2, Side.Buy, None))
        )
      finally flat.close()

  private val shipments = Vector(
    Shipment(1, Crate(Corner(1, -2), Some(Corner(3, 4)), None), None),
    Shipment(2, Crate(Corner(5, 6), None, Some(7)), Some(Parcel(Side.Sell, Text("box"), 8L))),
    Shipment(3, Crate(Corner(0, 0), None, None), Some(Parcel(Side.Buy, Text("Ż"), -1L)))
  )

  private def writeShipments(folder: Path): Unit =
    val file = Rows.create[Shipment](folder.resolve("shipments.rows"))
    reading(file): file =>
      shipments.foreach(file += _)
      file.seal()

  for layout <- layouts do
    inFolder(s"nested structs, and Options of them, are kept by a copy to another layout: $layout"):
      folder =>
        writeShipments(folder)
        val to = s"./copy.$layout"
        done(
          run(folder)("convert", "./shipments.rows", to, "--layout", layout, "--name", "Shipment")
        )
        assertEquals(run(folder)("diff", "./shipments.rows", to), Outcome(0, "", ""))
        val path = folder.resolve(s"copy.$layout")
        val found = layout match
          case "rows"   => reading(Rows.openReadOnly[Shipment](path))(_.toVector)
          case "packed" => reading(PackedRows.openReadOnly[Shipment](path))(_.toVector)
          case _        => reading(Columns.openReadOnly[Shipment](path))(_.toVector)
        assertEquals(found, shipments)

  // DuckDB writes an enum in a STRUCT as a text.
  inFolder("nested structs keep their values by way of Parquet"): folder =>
    writeShipments(folder)
    done(run(folder)("convert", "./shipments.rows", "./t.parquet"))
    done(run(folder)("convert", "./t.parquet", "./t.columns", "--name", "Loose"))
    val found = reading(Columns.openReadOnly[Loose](folder.resolve("t.columns")))(_.toVector)
    assertEquals(
      found,
      shipments.map: s =>
        val parcel =
          s.parcel.map(p =>
            LooseParcel(Text[4](p.side.toString), Text[3](p.label.toString), p.cents)
          )
        Loose(s.id, s.crate, parcel)
    )

  private def reading[A <: AutoCloseable, B](file: A)(read: A => B): B =
    try read(file)
    finally file.close()

  inFolder("a field that is null only in a null STRUCT is no Option; names may need quotes"):
    folder =>
      done(run(folder)(
        "sql",
        "copy (select if(i = 1, null, {'my \"x\"': i, 'it''s': if(i = 2, null, 'a')}) as s " +
          s"from range(4) t(i)) to '${folder.resolve("s.parquet")}'"
      ))
      done(run(folder)("convert", "./s.parquet", "./s.rows"))
      val found = reading(Columns.openReadOnly[Odd](folder.resolve("s.rows")))(_.toVector)
      assertEquals(
        found.map(_.s),
        Vector(
          Some(Names(0, Some(Text("a")))),
          None,
          Some(Names(2, None)),
          Some(Names(3, Some(Text("a"))))
        )
      )
      done(run(folder)("diff", "./s.parquet", "./s.rows"))

  inFolder("a list is refused with the path of its column, and leaves no file"): folder =>
    done(run(folder)(
      "sql",
      s"copy (select {'b': {'c': [1, 2]}} as a) to '${folder.resolve("l.parquet")}'"
    ))
    val outcome = run(folder)("convert", "./l.parquet", "./l.rows")
    assertEquals(outcome.code, 2)
    assert(
      outcome.err.contains(
        "column 'a.b.c' has the SQL type INTEGER[], which convert does not store"
      ),
      outcome.err
    )
    assertEquals(names(folder), Set("l.parquet"))

  inFolder("a struct file is the same after a conversion to Arrow and back"): folder =>
    orders(folder)
    done(run(folder)("convert", "./orders.rows", "./orders.arrow"))
    done(run(folder)("convert", "./orders.arrow", "./copy.rows", "--layout=rows", "--name=Order"))
    done(run(folder)("diff", "./orders.rows", "./copy.rows"))
    val (before, after) = (
      Rows.openReadOnly[Order](folder.resolve("orders.rows")),
      Rows
        .openReadOnly[Order](folder.resolve("copy.rows"))
    )
    try assertEquals(after.toVector, before.toVector)
    finally
      before.close()
      after.close()

  inFolder("every command reads an Arrow file"): folder =>
    write(folder, "t.csv", lines*)
    done(run(folder)("convert", "./t.csv", "./t.arrow"))
    done(run(folder)("convert", "./t.csv", "./t.rows"))
    val fromArrow = done(run(folder)("head", "./t.arrow", "--csv"))
    assertEquals(fromArrow.out, done(run(folder)("head", "./t.rows", "--csv")).out)
    assert(done(run(folder)("schema", "./t.arrow")).out.contains("a date"))
    assert(done(run(folder)("stats", "./t.arrow")).out.contains("3 rows"))
    done(run(folder)("convert", "./t.arrow", "./copy.csv"))
    done(run(folder)("convert", "./t.arrow", "./copy.parquet"))
    done(run(folder)("diff", "./t.arrow", "./copy.parquet"))
    val sum = done(run(folder)("sql", "select sum(ticket) s from t", "./t.arrow", "--csv"))
    assertEquals(sum.out, "s\n0\n")
    assertEquals(
      names(folder),
      Set("t.csv", "t.arrow", "t.rows", "copy.csv", "copy.parquet")
    )

  inFolder("a damaged Arrow file is rejected with its name and offset, and leaves no file"):
    folder =>
      write(folder, "t.csv", lines*)
      done(run(folder)("convert", "./t.csv", "./t.arrow"))
      val bytes = Files.readAllBytes(folder.resolve("t.arrow"))
      Files.write(folder.resolve("t.arrow"), bytes.take(bytes.length / 2))
      val before = names(folder)
      for command <- Seq(Seq("convert", "./t.arrow", "./t.rows"), Seq("head", "./t.arrow")) do
        val outcome = run(folder)(command*)
        assertEquals(outcome.code, 2)
        assert(outcome.err.contains("t.arrow: offset "), outcome.err)
      assertEquals(names(folder), before)

  inFolder("a target that exists is replaced only if the caller says so"): folder =>
    write(folder, "t.csv", lines*)
    write(folder, "old.rows", "precious")
    val outcome = run(folder)("convert", "./t.csv", "./old.rows")
    assertEquals(
      outcome,
      Outcome(
        2,
        "",
        s"undercroft: $folder/old.rows exists; --overwrite replaces it\n".replace(s"$folder/", "./")
      )
    )
    assertEquals(Files.readString(folder.resolve("old.rows")), "precious\n")
    done(run(folder)("convert", "./t.csv", "./old.rows", "--overwrite", "--layout", "rows"))
    assertEquals(read(folder.resolve("old.rows"), "rows").size, 3)
    assertEquals(run(folder)("convert", "./t.csv", "./t.csv", "--overwrite").code, 2)
    assertEquals(Files.readAllLines(folder.resolve("t.csv")).size, 4)

  for (text, byte) <- Seq("'a' || chr(0)" -> 1, "'ż' || chr(0) || 'b'" -> 2, "chr(0)" -> 0) do
    inFolder(s"a text with U+0000 is refused, because it would lose characters: $text"): folder =>
      val query = s"from (values ('x'), ($text)) t(c)"
      done(run(folder)("sql", s"copy ($query) to '${folder.resolve("nul.parquet")}'"))
      for layout <- layouts do
        val outcome = run(folder)("convert", "./nul.parquet", "./nul.rows", "--layout", layout)
        assertEquals(outcome.code, 2)
        val message = s"row 1 of column 'c' has a text with U+0000 at byte $byte, "
        assert(outcome.err.contains(message), outcome.err)
      assertEquals(names(folder), Set("nul.parquet"))

  inFolder("a CSV file of a header alone becomes an empty struct file"): folder =>
    write(folder, "t.csv", "a,b")
    done(run(folder)("convert", "./t.csv", "./t.rows"))
    assertEquals(done(run(folder)("head", "./t.rows", "--csv")).lines, List("a,b"))

  inFolder("names with quotes, blanks and reserved words are kept"): folder =>
    write(folder, "t.csv", "\"my \"\"price\"\"\",select,ż", "1,2,3")
    done(run(folder)("convert", "./t.csv", "./t.rows"))
    assertEquals(
      done(run(folder)("head", "./t.rows", "--csv")).lines,
      List("\"my \"\"price\"\"\",select,ż", "1,2,3")
    )
end ConvertTest

private object FileNames:
  def isStruct(name: String): Boolean = Seq(".rows", ".packed", ".columns").exists(name.endsWith)

package undercroft.duckdb

import internal.scan.{
  BindData,
  ColumnFilter,
  Explanation,
  FilterChoice,
  FilterKey,
  ScanFailures,
  ScannedTable,
  Snapshot
}
import java.lang.foreign.ValueLayout
import scala.util.Random
import undercroft.file.format.{Durability, BlockStatistics}
import undercroft.memory.*
import undercroft.struct.*
import undercroft.file.*
import undercroft.file.samples.*

/** Pushed-down conditions, compared with DuckDB's own evaluation. */
class PushDownTest extends undercroft.tools.RoundsSuite:

  final case class Place(x: Int, on: Boolean, level: Option[Short]) derives Struct, CanEqual

  final case class Row(
      bool: Boolean,
      byte: Byte,
      short: Short,
      char: Char,
      int: Int,
      long: Long,
      float: Float,
      double: Double,
      option: Option[Int],
      maybe: Option[Boolean],
      color: Color,
      place: Place,
      perhaps: Option[Place],
      name: Text[9],
      nick: Option[Text[3]]
  ) derives Struct, CanEqual

  private val reals =
    Seq(0.0, -0.0, 1.5, -1.5, Double.NaN, Double.PositiveInfinity, Double.NegativeInfinity)

  private def row(random: Random): Row = Row(
    random.nextBoolean(),
    random.nextInt(7).toByte,
    (random.nextInt(9) - 4).toShort,
    ('a' + random.nextInt(5)).toChar,
    random.nextInt(50) - 25,
    if random.nextInt(10) == 0 then Long.MinValue else random.nextInt(20).toLong,
    reals(random.nextInt(reals.size)).toFloat,
    reals(random.nextInt(reals.size)),
    Option.when(random.nextInt(3) > 0)(random.nextInt(10)),
    Option.when(random.nextInt(3) > 0)(random.nextBoolean()),
    Color.fromOrdinal(random.nextInt(3)),
    place(random),
    Option.when(random.nextInt(3) > 0)(place(random)),
    Text(names(random.nextInt(names.size))),
    Option.when(random.nextInt(3) > 0)(Text(Seq("", "a", "abc", "é", "z\uffff")(random.nextInt(4))))
  )

  private val names =
    Seq(
      "",
      "a",
      "ab",
      "abc",
      "abcdefghi",
      "abcdefgh",
      "é",
      "ée",
      "e\u0301",
      "\ud83d\ude00",
      "中文字",
      "z"
    )

  private def place(random: Random): Place = Place(
    random.nextInt(20),
    random.nextBoolean(),
    Option.when(random.nextInt(3) > 0)(random.nextInt(9).toShort)
  )

  private def condition(random: Random, depth: Int): String =
    def compared = Seq("=", "<>", "<", "<=", ">", ">=")(random.nextInt(6))
    def number = random.nextInt(30) - 10
    def real = Seq("0.0", "-0.0", "1.5", "'nan'", "'inf'", "0.1")(random.nextInt(6))
    val columns = Seq("byte", "short", "int", "long", "option", "char")
    def column = columns(random.nextInt(columns.size))
    def nested = Seq("place", "perhaps")(random.nextInt(2))
    def text =
      s"'${(names ++ Seq("abcdefghij", "m", "\u00e8", "\uffff", "\ufffd"))(random.nextInt(names.size + 5))}'"
    def texts = Seq("name", "nick")(random.nextInt(2))
    random.nextInt(if depth > 0 then 25 else 21) match
      case 0  => s"$column $compared $number"
      case 1  => s"$number $compared $column"
      case 2  => s"$column between ${number} and ${number}"
      case 3  => s"($column >= $number and $column < $number)"
      case 4  => s"$column in ($number, $number, $number, $number)"
      case 5  => s"float $compared $real::float"
      case 6  => s"double $compared $real::double"
      case 7  => Seq("bool", "not bool", "maybe", "not maybe", "maybe = false")(random.nextInt(5))
      case 8  => Seq("option is null", "option is not null", "maybe is null")(random.nextInt(3))
      case 9  => s"color ${Seq("=", "<>")(random.nextInt(2))} 'Green'"
      case 10 => s"color in ('Red', 'Blue')"
      case 11 => s"$nested.x $compared $number"
      case 12 => s"$nested.level $compared $number::smallint"
      case 13 => s"$nested.${Seq("on", "level is null", "level is not null")(random.nextInt(3))}"
      case 14 => s"$column $compared $number::bigint"
      case 15 => s"float $compared ${Seq("0.1::double", "1.5::double", "0.5")(random.nextInt(3))}"
      case 16 => s"$nested.x in ($number, $number, $number::bigint)"
      case 17 => s"$texts $compared $text"
      case 18 => s"$texts in ($text, $text, $text)"
      case 19 => s"$texts between $text and $text"
      case 20 => s"$texts like '${Seq("", "a", "ab", "é", "abcdefghij")(random.nextInt(5))}%'"
      case 21 => s"(${condition(random, depth - 1)} and ${condition(random, depth - 1)})"
      case 22 | 23 => s"(${condition(random, depth - 1)} or ${condition(random, depth - 1)})"
      case _       => s"not (${condition(random, depth - 1)})"
    end match
  end condition

  private inline def agrees[L <: Layout](tables: TableFactory[L], rounds: Int): Unit =
    val seed = Random().nextInt()
    val random = Random(seed)
    Region.scoped:
      val table = tables.tabulate[Row](70_000)(_ => row(random))
      Samples.use: duckdb =>
        duckdb.register("day", table)
        val _ = duckdb.query("create table plain as from day")
        for round <- 0 until rounds do
          val where = condition(random, 2)
          val sql = "select count(*), sum(int), sum(hash(double)), count(option) from"
          val expected = duckdb.query(s"$sql plain where $where")
          val result = duckdb.query(s"$sql day where $where")
          assertEquals(result.rows, expected.rows, s"seed $seed, round $round: $where")

  testRounds("random conditions on Rows select the rows that DuckDB selects")(40, 400)(
    agrees(Rows, _)
  )
  testRounds("random conditions on PackedRows select the rows that DuckDB selects")(40, 400)(
    agrees(PackedRows, _)
  )
  testRounds("random conditions on Columns select the rows that DuckDB selects")(40, 400)(
    agrees(Columns, _)
  )

  private inline def agreesOnBytes[L <: Layout](tables: TableFactory[L]): Unit =
    val seed = Random().nextInt()
    Region.scoped:
      val table = tables.tabulate[Named](5_000)(i => Named(i.toInt, Text("")))
      fillNames(table, Random(seed))
      Samples.use: duckdb =>
        duckdb.register("day", table)
        val _ = duckdb.query("create table plain as from day")
        val constants = Seq("", "a", "ab", "é", "aé", "中", "b中", "\ufffd", "a\ufffd", "\u00e8", "f")
        for
          constant <- constants
          where <- Seq("=", "<>", "<", "<=", ">", ">=", "^@").map(op => s"name $op '$constant'") ++
            Seq(s"name in ('$constant', 'b')", s"name between 'a' and '$constant'")
        do
          val sql = "select count(*), sum(id) from"
          assertEquals(
            duckdb.query(s"$sql day where $where").rows,
            duckdb.query(s"$sql plain where $where").rows,
            s"seed $seed: $where"
          )
        end for
  end agreesOnBytes

  /** Writes bytes of characters and parts of characters to the names. */
  private def fillNames[L <: Layout](table: Table[Named, L], random: Random): Unit =
    val bytes = Seq(0, 'a', 'b', 0xc3, 0xa9, 0xe4, 0xb8, 0xad, 0xef, 0xbf, 0xbd, 0xf0, 0x80, 0xff)
    val slices = FieldSlices.of(table)
    val text = slices.columns.collectFirst { case text: ColumnKind.Text => text }.get
    for i <- 0L until table.size; k <- 0 until random.nextInt(7) do
      val at = slices.start(text.offset, text.size) + i * slices.step(text.size) + k
      slices.memory.set(ValueLayout.JAVA_BYTE, at, bytes(random.nextInt(bytes.size)).toByte)

  final case class Named(id: Int, name: Text[6]) derives Struct, CanEqual

  test("conditions on texts that are not UTF-8 select the rows that DuckDB selects"):
    agreesOnBytes(Rows)
    agreesOnBytes(Columns)

  test("texts with zeros and collations are compared as DuckDB does"):
    Region.scoped:
      val names = Seq("", "a", "A", "ab", "b", "É", "é")
      val table = Columns.from(names.zipWithIndex.map((name, i) => Named(i, Text(name))))
      Samples.use: duckdb =>
        duckdb.register("day", table)
        val _ = duckdb.query("create table plain as from day")
        for
          collation <- Seq("binary", "nocase", "noaccent")
          where <- Seq(
            "name = 'a'",
            "name = 'a' || chr(0)",
            "name < 'a' || chr(0) || 'z'",
            "name >= chr(0)",
            "name in ('A', 'É')",
            "name > 'a'",
            "name like 'A%'",
            "name collate nocase = 'A'"
          )
        do
          val _ = duckdb.query(s"set default_collation = '$collation'")
          val sql = "select count(*), sum(id) from"
          assertEquals(
            duckdb.query(s"$sql day where $where").rows,
            duckdb.query(s"$sql plain where $where").rows,
            s"$collation: $where"
          )
        end for

  private def bindData(
      lanes: FieldSlices,
      ranges: Vector[String] => Vector[BlockStatistics]
  ): BindData =
    val snapshot = Snapshot(Vector(ScannedTable(lanes, ranges)))
    BindData(
      "points",
      lanes.columns,
      lanes.columns.size,
      snapshot,
      ScanFailures(),
      Explanation(),
      () => snapshot
    )

  private def plan(duckdb: DuckDb, sql: String): String =
    duckdb.query(s"explain $sql").rows.map(_.map(_.show).mkString(" ")).mkString("\n")

  test("comparisons, lists and null tests are pushed down, other conditions are not"):
    Region.scoped:
      val table = Columns.tabulate[Row](100)(_ => row(Random(1)))
      Samples.use: duckdb =>
        duckdb.register("day", table)
        for
          where <- Seq(
            "int > 5",
            "5 > int",
            "bool",
            "not bool",
            "long = 3",
            "option is not null",
            "color = 'Red'",
            "double > 0.5",
            "int > 5::bigint",
            "int = 5 or long = 3",
            "int > 5 or (long < 3 and bool) or option is null",
            "(int > 5 or bool) and (short < 3 or color = 'Red')",
            "place.x > 5",
            "perhaps.x > 5",
            "perhaps.on",
            "perhaps.level = 3::smallint",
            "perhaps.level is not null",
            "float < 0.1::double",
            "name = 'abc'",
            "name <> 'abc'",
            "name >= 'abc' and nick < 'é'",
            "'abc' > name",
            "nick in ('a', 'abc')",
            "name like 'ab%'",
            "starts_with(name, 'ab')",
            "nick is null or name = 'z'"
          )
        do
          val explanation = plan(duckdb, s"select sum(short) from day where $where")
          assert(!explanation.contains("Filter"), s"$where\n$explanation")
        end for
        for where <-
            Seq(sql"name = ${"abc"}", sql"int > ${5}", sql"long = ${3L}", sql"color = ${Color.Red}")
        do
          val rows = duckdb.query(sql"explain select sum(short) from day where $where").rows
          val explanation = rows.flatten.map(_.show).mkString("\n")
          assert(!explanation.contains("Filter"), s"$where\n$explanation")
        val explanation = plan(duckdb, "select sum(short) from day where int + short > 5")
        assert(explanation.contains("Filter"), explanation)

  test("one query can scan one table with different conditions"):
    Region.scoped:
      val day = Columns.tabulate[Trade](100_000)(Trade.of)
      Samples.use: duckdb =>
        duckdb.register("day", day)
        def value(sql: String) = duckdb.query(sql)(0, 0).long
        val (cheap, costly) = (day.count(_.price < 10), day.count(_.price >= 200))
        val unequal = "select (select count(*) from day where price < 10) * 1000000 + " +
          "(select count(*) from day where price >= 200)"
        assertEquals(value(unequal), cheap * 1_000_000 + costly)
        val twice =
          "with d as (select * from day) select (select count(*) from d where price < 10) " +
            "* 1000000 + (select count(*) from d where price >= 200)"
        assertEquals(value(twice), cheap * 1_000_000 + costly)
        val union = "select count(*) from (select price from day where price < 10 union all " +
          "select price from day where price >= 200)"
        assertEquals(value(union), cheap + costly)
        val joined = "select count(*) from day a join day b on a.ticket = b.ticket " +
          "where a.price = 3 and b.price = 5 and a.amount < 100"
        val (a, b) = (
          day.filter(t => t.price == 3 && t.amount < 100).map(_.ticket).toVector,
          day.filter(_.price == 5).map(_.ticket).toVector
        )
        assertEquals(value(joined), a.map(t => b.count(_ == t).toLong).sum)

  test("a view, a prepared statement and a correlated query have separate conditions"):
    Region.scoped:
      val day = Rows.tabulate[Trade](50_000)(Trade.of)
      Samples.use: duckdb =>
        duckdb.register("day", day)
        def value(sql: String) = duckdb.query(sql)(0, 0).long
        val _ = duckdb.query("create temp view cheap as select * from day where price < 10")
        assertEquals(value("select count(*) from cheap"), day.count(_.price < 10))
        assertEquals(
          value("select count(*) from cheap where buy"),
          day.count(t => t.price < 10 && t.buy)
        )
        assertEquals(value("select count(*) from cheap"), day.count(_.price < 10))
        val _ = duckdb.query("prepare below as select count(*) from day where price < $1")
        for price <- Seq(5, 100, 5) do
          assertEquals(value(s"execute below($price)"), day.count(_.price < price))
        val best = "select count(*) from day a where price = 250 and amount = " +
          "(select max(amount) from day b where b.ticket = a.ticket and b.price = 250)"
        val rows = day.filter(_.price == 250).toVector
        val expected =
          rows.count(t => t.amount == rows.filter(_.ticket == t.ticket).map(_.amount).max)
        assertEquals(value(best), expected.toLong)

  test("a scan skips partitions of a sealed file by their block statistics"):
    val path = Samples.path("day.rows")
    val table = Rows.create[Trade](path, maxRows = 400_000, Durability.VOLATILE)
    for i <- 0 until 400_000 do table += Trade(i, i % 10, i / 1000, i % 2 == 0)
    table.seal()
    val day = Rows.openReadOnly[Trade](path)
    val file = day.readFrom.get
    def parts(filters: ColumnFilter*): Int =
      import scala.jdk.CollectionConverters.*
      val lanes = FieldSlices.of(day)
      val bound = bindData(lanes, path => file.statistics(path.asJava).asScala.toVector)
      filters.foreach(bound.add)
      bound.parts.size
    def either(alternatives: Vector[ColumnFilter]*): Int =
      import scala.jdk.CollectionConverters.*
      val lanes = FieldSlices.of(day)
      val statistics = (path: Vector[String]) => file.statistics(path.asJava).asScala.toVector
      val bound = bindData(lanes, statistics)
      bound.add(FilterChoice(alternatives.toVector))
      bound.parts.size
    def price(minKey: Long, maxKey: Long) =
      ColumnFilter(2, FilterKey.Int32, 8, Vector("price"), minKey, maxKey)
    assertEquals(parts(), 7)
    assertEquals(parts(price(150, 150)), 1)
    assertEquals(parts(price(0, 1000)), 7)
    assertEquals(parts(price(500, 1000)), 0)
    assertEquals(parts(price(0, 10), price(300, 400)), 0)
    assertEquals(parts(price(5, 5).copy(isNegated = true)), 7)
    assertEquals(either(Vector(price(0, 10)), Vector(price(0, 20))), 1)
    assertEquals(either(Vector(price(0, 10)), Vector(price(300, 400))), 4)
    assertEquals(either(Vector(price(0, 10), price(300, 400)), Vector(price(150, 150))), 1)
    assertEquals(either(Vector(price(0, 10)), Vector(price(5, 5).copy(isNegated = true))), 7)
    Samples.use: duckdb =>
      duckdb.register("day", day)
      for (from, until) <- Seq((0, 1), (150, 151), (399, 400), (400, 500), (64, 66)) do
        assertEquals(
          duckdb.query(s"select count(*) from day where price >= $from and price < $until")(
            0,
            0
          ).long,
          day.count(t => t.price >= from && t.price < until)
        )
    day.close()

  test("a scan of a sealed file finds the statistics of fields in structs and Options"):
    val path = Samples.path("places.rows")
    val table = Rows.create[Row](path, maxRows = 200_000, Durability.VOLATILE)
    val random = Random(1)
    val rows = Vector.tabulate(200_000): i =>
      val place = Place(i / 1000, true, None)
      row(random).copy(place = place, perhaps = Option.when(i % 2 == 0)(place))
    rows.foreach(table += _)
    table.seal()
    val day = Rows.openReadOnly[Row](path)
    val file = day.readFrom.get
    for name <- Seq("place.x", "perhaps.get.x") do
      assert(file.statistics(name).size > 1, s"$name: ${file.statistics(name)}")
    Samples.use: duckdb =>
      duckdb.register("day", day)
      for k <- Seq(0, 66, 150, 199, 500) do
        for (where, expected) <- Seq(
            s"place.x = $k" -> rows.count(_.place.x == k),
            s"perhaps.x > $k" -> rows.count(_.perhaps.exists(_.x > k)),
            s"place.x < 3 or perhaps.x = $k" ->
              rows.count(r => r.place.x < 3 || r.perhaps.exists(_.x == k))
          )
        do
          val found = duckdb.query(s"select count(*) from day where $where")
          assertEquals(found.as[Long], Vector(expected.toLong), where)
    day.close()

  test("a scan skips partitions that several blocks cover together"):
    Region.scoped:
      val table = Columns.tabulate[Trade](BindData.PartRows * 3)(Trade.of)
      val lanes = FieldSlices.of(table)
      val half = BindData.PartRows / 2L
      val blocks =
        Vector.tabulate(6)(k => BlockStatistics(k * half, (k + 1) * half, k.toLong, k.toLong))
      def parts(minKey: Long, maxKey: Long) =
        val bound = bindData(lanes, _ => blocks)
        bound.add(ColumnFilter(2, FilterKey.Int32, 8, Vector("price"), minKey, maxKey))
        bound.parts.map(part => (part.from, part.until))
      val rows = BindData.PartRows.toLong
      assertEquals(parts(1, 1), Vector((0L, rows)))
      assertEquals(parts(3, 4), Vector((rows, 2 * rows), (2 * rows, 3 * rows)))
      assertEquals(parts(9, 9), Vector())
end PushDownTest

package outside.struct

/** Generated user programs: every kind of field in every way of use. Each use either compares the
  * struct's result with the result of plain Scala collections, or is excluded by the documentation.
  */
object FieldMatrix:

  /** A kind of field: declarations around it, its type, at least three values, in ascending order
    * if it has an order, and the uses that it does not support.
    */
  final case class Kind(
      name: String,
      tpe: String,
      values: Seq[String],
      declarations: String = "",
      annotation: String = "",
      isLeaf: Boolean = true,
      isValue: Boolean = true,
      isKey: Boolean = true,
      order: Option[String] = None,
      nested: Seq[(String, String)] = Nil,
      matched: Option[(String, String)] = None
  )

  private def numeric(name: String, values: String*): Kind =
    Kind(name, name, values, order = Some("_.f"))

  /** A kind for which selection through a reference returns a reference. */
  private def part(
      name: String,
      tpe: String,
      values: Seq[String],
      declarations: String = "",
      nested: Seq[(String, String)] = Nil
  ): Kind =
    Kind(name, tpe, values, declarations, isLeaf = false, isValue = false, nested = nested)

  private val point = "case class P(x: Int, y: Long) derives Struct"
  private val color = "enum Color derives Struct { case Red, Green, Blue }"
  private val message =
    "enum Message derives Struct { case Empty; case Count(n: Int); case Name(text: Text[6]) }"
  private val figure =
    "sealed trait Figure derives Struct\ncase class Circle(r: Double) extends Figure\n" +
      "case class Box(a: Short, p: (Int, Byte)) extends Figure\ncase object Dot extends Figure"
  private val messages = Seq("Message.Empty", "Message.Count(7)", """Message.Name(Text("six"))""")
  private val figures = Seq("Circle(1.5)", "Box(2, (3, 4))", "Dot")
  private val colors = Seq("Color.Red", "Color.Green", "Color.Blue")

  private val instant = "import java.time.Instant\n" +
    "given Struct.StoredAs[Instant, Long] = Struct.storedAs[Instant, Long](_.toEpochMilli)(Instant.ofEpochMilli(_))"

  private def option(inner: String, value: Seq[String], declarations: String): Kind =
    part(s"OptionOf$inner", s"Option[$inner]", "None" +: value.map(v => s"Some($v)"), declarations)
      .copy(
        nested = Seq("r.f.isDefined" -> "v(1).isDefined"),
        matched = Some(
          "t.map(_.f match { case Some(x) => x.toString; case None => \"-\" }).toVector" ->
            "v.map(_.fold(\"-\")(_.toString))"
        )
      )

  val kinds: Seq[Kind] = Seq(
    Kind("Boolean", "Boolean", Seq("false", "true", "true"), order = Some("_.f")),
    numeric("Byte", "Byte.MinValue", "0", "7"),
    numeric("Short", "Short.MinValue", "0", "700"),
    numeric("Char", "'a'", "'b'", "Char.MaxValue"),
    numeric("Int", "Int.MinValue", "-1", "70000"),
    numeric("Long", "Long.MinValue", "-1L", "1L << 40"),
    numeric("Float", "-1.5f", "0f", "2.5f"),
    numeric("Double", "-1.5", "0d", "2.5"),
    part(
      "Struct",
      "P",
      Seq("P(1, 2)", "P(-3, 4)", "P(5, 1L << 40)"),
      point,
      Seq(
        "{ r.f.x = 9; t(1).f.x }" -> "9",
        "r.f.y" -> "v(1).y",
        "t.sumOf(_.f.x)" -> "v.map(_.x.toLong).sum",
        "{ t.updateAt(1)(_.f.y)(_ + 1); t(1).f.y }" -> "v(1).y + 1",
        "{ t.transform(r => r.copy(f = r.f.copy(x = 8))); read(t) }" -> "all.map(r => r.copy(f = r.f.copy(x = 8)))"
      )
    ),
    part(
      "Tuple",
      "(Int, Double)",
      Seq("(1, 2.5)", "(-3, 4.5)", "(5, 6.5)"),
      "",
      Seq(
        "{ r.f._1 = 9; t(1).f._1 }" -> "9",
        "r.f._2" -> "v(1)._2",
        "{ t.updateAt(1)(_.f._1)(_ + 1); t(1).f._1 }" -> "v(1)._1 + 1",
        "{ t.updateAt(1)(_.f(0))(_ + 1); t(1).f(0) }" -> "v(1)._1 + 1",
        "{ t.sortInPlaceBy(_.f._1); read(t).map(_.id) }" -> "all.sortBy(_.f._1).map(_.id)"
      )
    ),
    part(
      "NamedTuple",
      "(a: Int, b: Long)",
      Seq("(a = 1, b = 2L)", "(a = -3, b = 4L)", "(a = 5, b = 6L)"),
      "",
      Seq(
        "{ r.f.a = 9; t(1).f.a }" -> "9",
        "r.f.b" -> "v(1).b",
        "{ t.updateAt(1)(_.f.a)(_ + 1); t(1).f.a }" -> "v(1).a + 1",
        "{ t.updateAll(_.f.b)(_ + 1); read(t).map(_.f.b) }" -> "v.map(_.b + 1)",
        "{ t.sortInPlaceBy(_.f.a); read(t).map(_.id) }" -> "all.sortBy(_.f.a).map(_.id)",
        "read(t.sortBy(_.f.b)).map(_.id)" -> "all.sortBy(_.f.b).map(_.id)",
        "t.sumOf(_.f.a)" -> "v.map(_.a.toLong).sum"
      )
    ),
    part(
      "NamedTupleOfStructs",
      "(p: P, q: (c: Int, d: Byte))",
      Seq(
        "(p = P(1, 2), q = (c = 1, d = 2))",
        "(p = P(2, 2), q = (c = 3, d = 2))",
        "(p = P(3, 2), q = (c = 5, d = 6))"
      ),
      point,
      Seq(
        "{ r.f.q.c = 9; t(1).f.q.c }" -> "9",
        "r.f.p.y" -> "v(1).p.y",
        "{ t.updateAt(1)(_.f.q.c)(_ + 1); t(1).f.q.c }" -> "v(1).q.c + 1",
        "{ t.updateAt(1)(_.f.p.x)(_ + 1); t(1).f.p.x }" -> "v(1).p.x + 1",
        "t.sumOf(_.f.p.x)" -> "v.map(_.p.x.toLong).sum"
      )
    ),
    Kind(
      "Enum",
      "Color",
      colors,
      color,
      isValue = false,
      order = Some("_.f.ordinal"),
      matched =
        Some("t.map(_.f match { case Color.Red => 1; case _ => 2 }).toVector" -> "Vector(1, 2, 2)")
    ),
    part(
      "EnumWithData",
      "Message",
      messages,
      message,
      Seq("t.count(_.f == Message.Empty)" -> "1L")
    )
      .copy(matched =
        Some(
          "t.map(_.f match { case Message.Empty => 0; case Message.Count(n) => n; case Message.Name(x) => x.byteLength }).toVector" ->
            "Vector(0, 7, 3)"
        )
      ),
    part("SealedTrait", "Figure", figures, figure)
      .copy(matched =
        Some(
          "t.map(_.f match { case Circle(r) => r; case Box(a, (b, _)) => a + b.toDouble; case Dot => 0d }).toVector" ->
            "Vector(1.5, 5d, 0d)"
        )
      ),
    option("Int", Seq("1", "2"), ""),
    option("P", Seq("P(1, 2)", "P(3, 4)"), point),
    option("Color", colors.tail, color),
    option("Message", messages.tail, message),
    option("Figure", figures.tail, figure),
    option("Text8", Seq("Text[8](\"ab\")", "Text[8](\"c\")"), "type Text8 = Text[8]"),
    option(
      "NamedPair",
      Seq("(a = 1, b = 2L)", "(a = 3, b = 4L)"),
      "type NamedPair = (a: Int, b: Long)"
    ),
    Kind(
      "InlineOfInts",
      "InlineArray[Int, 3]",
      Seq(
        "InlineArray[Int, 3](1, 2, 3)",
        "InlineArray[Int, 3](4, 5, 6)",
        "InlineArray[Int, 3](7, 8, 9)"
      ),
      "",
      isValue = false,
      nested = Seq(
        "{ r.f(2) = 9; t(1).f(2) }" -> "9",
        "r.f(1)" -> "v(1)(1)",
        "t.sumOf(_.f(2))" -> "v.map(_(2).toLong).sum"
      )
    ),
    Kind(
      "InlineOfInlines",
      "InlineArray[InlineArray[Byte, 2], 3]",
      (0 until 3).map(i =>
        s"InlineArray.tabulate[InlineArray[Byte, 2], 3](k => InlineArray[Byte, 2](k.toByte, ${i}))"
      ),
      "",
      isValue = false,
      nested = Seq(
        "{ r.f(2)(1) = 9; t(1).f(2)(1) }" -> "9",
        "r.f(1)(0)" -> "v(1)(1)(0)",
        "t.sumOf(_.f(2)(1))" -> "v.map(_(2)(1).toLong).sum"
      )
    ),
    Kind(
      "InlineOfStructs",
      "InlineArray[P, 2]",
      (0 until 3).map(i => s"InlineArray[P, 2](P($i, 1), P(2, $i))"),
      point,
      isValue = false,
      nested = Seq(
        "{ r.f(1).x = 9; t(1).f(1).x }" -> "9",
        "r.f(1).y" -> "v(1)(1).y",
        "r.f(1)()" -> "v(1)(1)",
        "{ r.f(0)() = P(7, 7); t(1).f(0) }" -> "P(7, 7)",
        "t.sumOf(_.f(1).y)" -> "v.map(_(1).y).sum"
      )
    ),
    Kind(
      "InlineOfEnums",
      "InlineArray[Color, 3]",
      (0 until 3).map(i => s"InlineArray.tabulate[Color, 3](k => Color.fromOrdinal((k + $i) % 3))"),
      color,
      isValue = false,
      nested = Seq("{ r.f(1) = Color.Blue; t(1).f(1) }" -> "Color.Blue", "r.f(1)()" -> "v(1)(1)")
    ),
    Kind(
      "InlineOfEnumsWithData",
      "InlineArray[Message, 2]",
      Seq(
        "InlineArray[Message, 2](Message.Empty, Message.Count(1))",
        "InlineArray[Message, 2](Message.Count(2), Message.Name(Text(\"x\")))",
        "InlineArray[Message, 2](Message.Empty, Message.Empty)"
      ),
      message,
      isValue = false,
      nested = Seq(
        "r.f(1)()" -> "v(1)(1)",
        "{ r.f(0) = Message.Count(5); t(1).f(0) }" -> "Message.Count(5)"
      )
    ),
    Kind(
      "InlineOfTexts",
      "InlineArray[Text[4], 2]",
      Seq(
        "InlineArray[Text[4], 2](Text(\"a\"), Text(\"b\"))",
        "InlineArray[Text[4], 2](Text(\"c\"), Text(\"\"))",
        "InlineArray[Text[4], 2](Text(\"d\"), Text(\"dddd\"))"
      ),
      "",
      isValue = false,
      nested =
        Seq("r.f(0)()" -> "v(1)(0)", "{ r.f(1) = Text[4](\"zz\"); t(1).f(1).string }" -> "\"zz\"")
    ),
    Kind(
      "InlineOfNamedTuples",
      "InlineArray[(a: Int, b: Long), 2]",
      (0 until 3).map(i =>
        s"InlineArray[(a: Int, b: Long), 2]((a = $i, b = 1L), (a = 2, b = ${i}L))"
      ),
      "",
      isValue = false,
      nested =
        Seq("{ r.f(1).a = 9; t(1).f(1).a }" -> "9", "t.sumOf(_.f(1).b)" -> "v.map(_(1).b).sum")
    ),
    Kind(
      "Text",
      "Text[8]",
      Seq("Text[8](\"\")", "Text[8](\"abc\")", "Text[8](\"b\")"),
      "",
      isValue = false,
      order = Some("_.f.string"),
      nested = Seq("r.f.startsWith(\"ab\")" -> "true", "t.count(_.f.startsWith(\"a\"))" -> "1L")
    ),
    Kind(
      "TextRef",
      "TextRef",
      Seq("TextRef.empty", "TextRef(\"a long text\")", "TextRef(\"b\")"),
      "",
      isKey = false,
      nested = Seq("r.f.startsWith(\"a l\")" -> "true", "t.count(_.f.startsWith(\"a\"))" -> "1L")
    ),
    Kind(
      "BytesRef",
      "BytesRef",
      Seq("BytesRef.empty", "BytesRef(Array[Byte](1, 2))", "BytesRef(Array[Byte](3))"),
      "",
      isKey = false,
      nested = Seq("r.f(1)" -> "2.toByte")
    ),
    Kind(
      "Ref",
      "Ref[P]",
      Seq("Ref(P(1, 2))", "Ref(P(3, 4))", "Ref(P(5, 6))"),
      point,
      nested = Seq("r.f.x" -> "3", "r.f()" -> "P(3, 4)", "{ r.f.x = 9; r.f.x }" -> "9")
    ),
    Kind(
      "Union",
      "Union[(whole: Int, real: Double)]",
      Seq(
        "Union[(whole: Int, real: Double)](whole = 1)",
        "Union[(whole: Int, real: Double)](real = 2.5)",
        "Union[(whole: Int, real: Double)](whole = 3)"
      ),
      "",
      isValue = false,
      nested =
        Seq("r.f.real" -> "2.5", "{ r.f.whole = 9; t(1).f.whole }" -> "9", "t(0).f.whole" -> "1")
    ),
    Kind(
      "OpaqueType",
      "Ids.Id",
      Seq("Ids.Id(1)", "Ids.Id(2)", "Ids.Id(3)"),
      "object Ids { opaque type Id = Long; object Id { def apply(n: Long): Id = n } }",
      isValue = false,
      order = Some("_.id")
    ),
    Kind(
      "StoredAsLong",
      "Instant",
      Seq(1, 2, 3).map(n => s"Instant.ofEpochMilli($n)"),
      instant,
      isValue = false,
      order = Some("_.f.toEpochMilli")
    ),
    part(
      "StoredAsTuple",
      "Money",
      Seq("Money(1, 'a')", "Money(2, 'b')", "Money(3, 'c')"),
      "final class Money(val cents: Long, val unit: Char) { override def equals(o: Any) = o match { case m: Money => m.cents == cents && m.unit == unit; case _ => false }\noverride def hashCode = cents.toInt }\n" +
        "given Struct.StoredAs[Money, (Long, Char)] = Struct.storedAs[Money, (Long, Char)](m => (m.cents, m.unit))((c, u) => Money(c, u))"
    ),
    part(
      "GenericClass",
      "Pair[Int, Long]",
      Seq("Pair(1, 2L)", "Pair(3, 4L)", "Pair(5, 6L)"),
      "case class Pair[A, B](left: A, right: B)\ngiven Struct[Pair[Int, Long]] = Struct.derived",
      Seq("{ r.f.left = 9; t(1).f.left }" -> "9", "t.sumOf(_.f.right)" -> "v.map(_.right).sum")
    ),
    Kind(
      "BigEndianInt",
      "Int",
      Seq("-5", "70000", "80000"),
      annotation = "@bigEndian ",
      order = Some("_.f")
    ),
    Kind(
      "BigEndianDouble",
      "Double",
      Seq("-5.5", "7d", "8d"),
      annotation = "@bigEndian ",
      order = Some("_.f")
    ),
    Kind(
      "BigEndianStoredAsLong",
      "Instant",
      Seq(1, 2, 3).map(n => s"Instant.ofEpochMilli($n)"),
      instant,
      "@bigEndian ",
      isValue = false,
      order = Some("_.f.toEpochMilli")
    ),
    Kind(
      "AlignedLong",
      "Long",
      Seq("-5L", "7L", "8L"),
      annotation = "@align(16) ",
      order = Some("_.f")
    )
  )

  /** A way of use: a name, the code, the result of plain Scala, and the kinds that it applies to.
    */
  final case class Use(
      name: String,
      code: String,
      expected: String,
      isFor: Kind => Boolean = _ => true
  )

  private val tables = Seq(
    "rows" -> "Rows.from(all)",
    "packed" -> "PackedRows.from(all)",
    "columns" -> "Columns.from(all)",
    "growing" -> "{ val g = Rows.growing[R]; all.foreach(g += _); g }"
  )

  private val onEveryTable = Seq(
    Use("apply", "Vector(0, 1, 2).map(i => t(i))", "all"),
    Use(
      "update",
      "{ t(1) = all(2); t(0) = R(9, v(0), 7); read(t) }",
      "Vector(R(9, v(0), 7), all(2), all(2))"
    ),
    Use(
      "updateAt",
      "{ t.updateAt(1)(_.f)(_ => v(0)); read(t) }",
      "Vector(all(0), all(1).copy(f = v(0)), all(2))"
    ),
    Use("transform", "{ t.transform(_.copy(f = v(0))); read(t) }", "all.map(_.copy(f = v(0)))"),
    Use(
      "map",
      "{ val b = Vector.newBuilder[Any]; t.filter(_.f == v(1)).foreach(r => b += r.f); b.result() }",
      "all.filter(_.f == v(1)).map(_.f)"
    )
  )

  /** Parts of rows, and rows that are values of the kind: each on one table of three. */
  private val onSomeTable = Seq(
    Use(
      "updateAll",
      "{ t.updateAll(_.f)(f => if f == v(1) then v(0) else f); read(t).map(_.f) }",
      "v.map(f => if f == v(1) then v(0) else f)"
    ),
    Use(
      "strided updates",
      "{ t.reverse.updateAt(1)(_.f)(_ => v(0)); t.strided(2).updateAll(_.f)(_ => v(1)); read(t).map(_.f) }",
      "Vector(v(1), v(0), v(1))"
    ),
    Use(
      "strided stores",
      "{ t.strided(2)(1) = all(0); t.reverse.transform(_.copy(f = v(2), k = 5)); read(t) }",
      "Vector(all(0), all(1), all(0)).map(_.copy(f = v(2), k = 5))"
    ),
    Use(
      "elements",
      "{ val b = Vector.newBuilder[F]; t.map(_.f).foreach(b += _); read(ELEMENTS(b.result())) }",
      "v"
    ),
    Use(
      "element apply",
      "{ val e = ELEMENTS(v); e(0) = v(2); Vector(0, 1, 2).map(i => e(i)) }",
      "Vector(v(2), v(1), v(2))"
    ),
    Use(
      "element loop",
      "{ val e = ELEMENTS(v); e.filter(_ == v(1)).map(f => (f, 1)).toVector }",
      "v.filter(_ == v(1)).map(f => (f, 1))"
    ),
    Use(
      "element transform",
      "{ val e = ELEMENTS(v); e.transform(_ => v(1)); e.transformAt(0)(_ => v(2)); read(e) }",
      "Vector(v(2), v(1), v(1))"
    ),
    Use("element distinct", "read(ELEMENTS(v ++ v).distinct)", "v.distinct", _.isKey),
    Use(
      "element sortBy",
      "read(ELEMENTS(v).sortBy(identity))",
      "all.sortBy(ORDER).map(_.f)",
      _.order.isDefined
    ),
    Use(
      "element sortInPlaceBy",
      "{ val e = ELEMENTS(v.reverse); e.sortInPlaceBy(identity); read(e) }",
      "all.sortBy(ORDER).map(_.f)",
      _.order.isDefined
    )
  )

  private val onRows = Seq(
    Use("field", "Vector(0, 1, 2).map(i => t(i).f)", "v"),
    Use(
      "transformAt",
      "{ t.transformAt(1)(_.copy(f = v(0), k = 3)); read(t) }",
      "all.updated(1, all(1).copy(f = v(0), k = 3))"
    ),
    Use("foreach", "{ val b = Vector.newBuilder[Any]; t.foreach(r => b += r.f); b.result() }", "v"),
    Use("foldLeft", "t.foldLeft(List.empty[Any])((l, r) => r.f :: l)", "v.reverse.toList"),
    Use("match", "t.map { case R(id, f, _) => (f, id) }.toVector", "v.zip(0 to 2)"),
    Use(
      "match with a guard",
      "t.map { case R(id, f, _) if id > 0 => Some(f); case _ => None }.toVector",
      "v.map(Some(_)).updated(0, None)"
    ),
    Use("iterator", "t.iterator.toVector", "all"),
    Use("setFrom", "{ val u = Columns[R](3); u.setFrom(t)(r => r.copy(f = r.f)); read(u) }", "all"),
    Use(
      "groupBy",
      "{ val g = t.groupBy(_.f); v.map(x => read(g(x))) }",
      "v.map(x => all.filter(_.f == x))",
      _.isKey
    ),
    Use(
      "map key",
      "{ val m = StructMap[F, Int](); v.indices.foreach(i => m(v(i)) = i); v.map(x => m(x)) }",
      "v.map(v.lastIndexOf(_))",
      _.isKey
    ),
    Use(
      "map value",
      "{ val m = StructMap[Int, F](); v.indices.foreach(i => m(i) = v(i)); v.indices.map(i => m(i)) }",
      "v"
    ),
    Use("sortBy", "read(t.sortBy(_.f))", "all.sortBy(ORDER)", _.order.isDefined),
    Use(
      "sortInPlaceBy",
      "{ t.sortInPlaceBy(_.f); read(t).map(_.f) }",
      "all.sortBy(ORDER).map(_.f)",
      _.order.isDefined
    )
  )

  private val onReferences = Seq(
    Use("load", "r()", "all(1)"),
    Use("store", "{ r() = all(2); r() }", "all(2)"),
    Use("field", "r.f", "v(1)", _.isValue),
    Use("field()", "r.f()", "v(1)", kind => !kind.isValue),
    Use("assignment", "{ r.f = v(2); r() }", "all(1).copy(f = v(2))"),
    Use("function", "r(_.f)", "v(1)"),
    Use("update", "{ r.update(_.f)(_ => v(0)); r() }", "all(1).copy(f = v(0))"),
    Use("transform", "{ r.transform(_.copy(f = v(0))); r() }", "all(1).copy(f = v(0))")
  )

  private val references = Seq(
    "ref" -> "val t = Rows.from(all); val r = t.ref(1)",
    "packed ref" -> "val t = PackedRows.from(all); val r = t.ref(1)",
    "allocated ref" -> "val r = Ref(R(1, v(1), 2))"
  )

  private def isOpaque(kind: Kind) = kind.name == "OpaqueType"

  /** Whether a kind has a use of [[onSomeTable]] on a table, of three. */
  private def isUsed(use: Use, kind: Kind, table: Int): Boolean =
    (onSomeTable.indexOf(use) + kinds.indexOf(kind)) % 3 == table

  /** The uses of a kind: a name, preceding statements, the code and its expected result. */
  private def uses(kind: Kind): Seq[(String, String, String, String)] =
    def of(use: Use) = use.copy(expected = use.expected.replace("ORDER", kind.order.getOrElse("")))
    def elements(table: String) = table match
      case "packed"  => "PackedRows.from[F]"
      case "columns" => "Columns.from[F]"
      case _         => "Rows.from[F]"
    val inTables =
      for
        (name, table) <- tables
        use <- name match
          case "rows"    => onEveryTable ++ onRows ++ onSomeTable.filter(isUsed(_, kind, 0))
          case "columns" => onEveryTable ++ onSomeTable.filter(isUsed(_, kind, 1))
          case "packed"  => onEveryTable.take(3) ++ onSomeTable.filter(isUsed(_, kind, 2))
          case _         => onEveryTable.take(3)
        if use.isFor(kind)
      yield (
        s"${kind.name}: $name: ${use.name}",
        s"val t = $table",
        use.code.replace("ELEMENTS", elements(name)),
        of(use).expected
      )
    val inReferences =
      for
        (name, reference) <- references
        use <- onReferences
        if use.isFor(kind) && !(name == "packed ref" && Seq("store", "update").contains(use.name))
        if name != "allocated ref" || use.name == "load"
        if !(isOpaque(kind) && use.name == "field()")
      yield (s"${kind.name}: $name: ${use.name}", reference, use.code, use.expected)
    val parts = (kind.nested ++ kind.matched).map: (code, expected) =>
      (s"${kind.name}: $code", "val t = Rows.from(all); val r = t.ref(1)", code, expected)
    inTables ++ inReferences ++ parts
  end uses

  private def header(kind: Kind): String =
    s"""package matrix.of${kind.name}
       |import undercroft.memory.*
       |import undercroft.struct.*
       |${kind.declarations}
       |type F = ${kind.tpe}
       |case class R(id: Int, ${kind.annotation}f: F, k: Byte) derives Struct
       |""".stripMargin

  /** The number of uses in all programs. */
  def size: Int = kinds.map(uses(_).size).sum

  /** One source for each kind, by its name. Each has an object `Uses` whose `failures` are the uses
    * that return another result than plain Scala.
    */
  def sources: Seq[(String, String)] = kinds.map: kind =>
    val methods = uses(kind).zipWithIndex.map:
      case ((name, before, code, expected), k) =>
        s"""  def use$k(v: Vector[F], all: Vector[R])(using Region): Option[String] =
           |    $before
           |    val answer: Any = $code
           |    val expected: Any = $expected
           |    Option.when(answer != expected)(raw\"\"\"$name: $$answer and not $$expected\"\"\")
           |""".stripMargin
    val calls = uses(kind).indices.map(k => s"      use$k(v, all)").mkString(",\n")
    kind.name ->
      s"""${header(kind)}
         |object Uses:
         |  def read[T, L <: Layout](t: Table[T, L]): Vector[T] = t.iterator.toVector
         |${methods.mkString}
         |  def failures(): Array[String] = Region.scoped:
         |    val v: Vector[F] = Vector(${kind.values.mkString(", ")})
         |    val all = v.zipWithIndex.map((f, i) => R(i, f, (i + 1).toByte))
         |    Seq(
         |$calls
         |    ).flatten.toArray
         |""".stripMargin

  /** Uses that the documentation excludes, each with the error that it must cause. */
  def refused(kind: Kind): Seq[(String, String)] =
    // A tuple of more than 8 bytes is a key of several values, which must be fields.
    val isTuple = kind.name == "Tuple"
    def keyError(other: String) =
      if isTuple then "needs fields as the values of this key" else other
    val whole = Seq(
      Option.when(
        kind.order.isEmpty && !kind.isLeaf
      )("t.sortInPlaceBy(_.f)" -> keyError("needs a primitive field")),
      Option.when(
        kind.order.isEmpty
      )("println(t.sortBy(_.f).size)" -> keyError("sortBy needs a function to a primitive")),
      Option.when(!kind.isKey)("println(t.groupBy(_.f).size)" -> "key"),
      Option.when(!kind.isKey)("println(StructMap[F, Int]().size)" -> "key")
    )
    whole.flatten
  end refused

  /** One source of all rejected uses of every kind: its lines, each with the error that it must
    * cause.
    */
  def refusals: Seq[(Kind, Seq[(String, String)])] =
    kinds.map(kind => kind -> refused(kind)).filter(_._2.nonEmpty)

  def sourceOfRefusals(kind: Kind, lines: Seq[String]): String =
    val methods =
      lines.zipWithIndex.map((code, k) => s"  def use$k(t: Rows[R])(using Region): Unit = $code")
    s"${header(kind)}object Refused:\n${methods.mkString("\n")}\n"
end FieldMatrix

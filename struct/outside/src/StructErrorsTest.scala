package outside.struct

import undercroft.memory.*
import undercroft.struct.*

case class Deal(ticket: Int, amount: Int) derives Struct
case class Wallet(owner: Int, savings: Option[Int]) derives Struct

/** Programs that must not compile, with the error that a user sees. */
class StructErrorsTest extends undercroft.tools.Suite:

  private def says(errors: String, parts: String*)(using munit.Location): Unit =
    assert(!errors.contains("Exception occurred"), errors)
    assert(errors.linesIterator.size <= 12, errors)
    for part <- parts do assert(errors.contains(part), errors)

  test("a table without an allocator does not compile, and the error names Region.scoped"):
    val cure = "no allocator is given here: wrap the code in Region.scoped { ... }"
    says(compileErrors("Rows[Deal](10)"), cure)
    says(compileErrors("Rows.growing[Deal]"), cure)
    says(compileErrors("Ref(Deal(1, 2))"), cure)
    says(compileErrors("StructMap[Int, Deal]()"), cure)
    says(compileErrors("Region.allocate(64)"), "no region is open here: wrap the code in Region")

  test("a text or an InlineArray of unknown size does not compile, and the error names the cure"):
    says(compileErrors("""Union[(t: Text[8], n: Int)](t = Text("x"))"""), "write it, as in Text[8]")
    says(compileErrors("""val t = Text.truncated("x")"""), "as in Text.truncated[8](name)")
    val cure = "write its types, as in InlineArray[Int, 3]"
    says(compileErrors("val a = InlineArray(1, 2, 3)"), cure)
    says(
      compileErrors("val a: InlineArray[InlineArray[Int, 2], 1] = InlineArray(InlineArray(1, 2))"),
      cure
    )
    says(compileErrors("val a = InlineArray.fill(1)"), cure)
    says(compileErrors("val a = InlineArray.tabulate(i => i)"), cure)

  test("a var field does not compile, because an assignment to a loaded value would be lost"):
    val cure = "make it a val, and store by `ref.x = value`, by `updateAt(i)(_.x)(f)` or by " +
      "`rows(i) = rows(i).copy(x = value)`"
    says(compileErrors("case class A(var x: Int) derives Struct"), "field `x` is a var", cure)
    says(
      compileErrors("enum E derives Struct { case A; case B(var x: Int) }"),
      "B cannot derive Struct: field `x` is a var"
    )
    says(
      compileErrors("case class G[T](k: T, var x: T); given Struct[G[Int]] = Struct.derived"),
      "field `x` is a var"
    )
    says(
      compileErrors(
        "case class G[T](k: T, var x: T); case class H(g: G[Int]) derives Struct"
      ),
      "field `x` is a var"
    )

  test("a class without fields does not compile, and its uses add no error of their own"):
    val errors = compileErrors("""
      case class Nothing() derives Struct
      Region.scoped:
        val rows = Rows[Nothing](4)
        rows(0) = Nothing()
        rows.ref(0)()
        rows.foreach(println)
        rows(0)
    """)
    says(errors, "it has no fields, so nothing to store")
    assert(!errors.contains("empty") && !errors.contains("inline"), errors)

  test("a var that is not a field does not compile, because its value would not be stored"):
    says(
      compileErrors("case class A(x: Int) derives Struct { var y = 0 }"),
      "its var `y` is no field of the struct, so its value would not be stored"
    )
    says(
      compileErrors(
        "trait Counted { var n = 0 }; case class A(x: Int) extends Counted derives Struct"
      ),
      "its var `n` is no field"
    )
    assertEquals(
      compileErrors(
        "case class A(x: Int) derives Struct { private var cached = 0; def y = cached }"
      ),
      ""
    )

  test("reading a field through a reference to a type parameter does not compile"):
    val cure = "is not a known struct; make the method around it inline"
    says(
      compileErrors("def f[T: Struct](r: Rows[T]): Boolean = r.ref(0).isDefined"),
      "`isDefined` is not known here",
      cure
    )
    says(
      compileErrors("def f[T: Struct](r: Rows[T]): Any = r.ref(0).get"),
      "`get` is not known",
      cure
    )
    says(compileErrors("def f[T: Struct](r: Ref[T]): Any = r.get()"), "`get` is not known", cure)
    says(compileErrors("def f[T: Struct](r: Ref[T]): Unit = r.get = 1"), "`get` is not known", cure)
    says(compileErrors("def f[T: Struct](r: PackedRef[T]): Boolean = r.isDefined"), cure)
    says(compileErrors("def f[T: Struct](r: Ref[T]) = r.isDefined"), cure)
    says(compileErrors("def f[T <: Deal: Struct](r: Rows[T]): Int = r.ref(0).ticket"), cure)
    says(compileErrors("def f[A: Struct](r: Ref[Option[A]]): Boolean = r.isDefined"), cure)
    says(
      compileErrors("def f[T](r: Ref[T])(using Struct.StoredAs[T, Long]): Any = r.isDefined"),
      cure
    )

  test("an inline method reads the fields of its type parameter"):
    inline def ticketOf[T](r: Ref[T])(inline f: T => Int): Int = r(f)
    Region.scoped:
      assertEquals(ticketOf(Ref(Deal(7, 8)))(_.ticket), 7)

  test("a collection field does not compile, and the error names the field and the alternatives"):
    val cure = "a collection on the heap whose size is not fixed: keep up to N elements in an " +
      "InlineArray[A, N], bytes in a BytesRef, or the elements in a table of their own"
    says(
      compileErrors("case class A(xs: List[Int]) derives Struct"),
      "A cannot derive Struct: field `xs` is a List",
      cure
    )
    says(
      compileErrors("case class A(xs: Vector[Int]) derives Struct"),
      "field `xs` is a Vector",
      cure
    )
    says(
      compileErrors("case class A(xs: Option[List[Int]]) derives Struct"),
      "field `xs` is a List",
      cure
    )
    says(
      compileErrors("case class A(xs: (Int, List[Int])) derives Struct"),
      "field `_2` is a List",
      cure
    )
    says(
      compileErrors("case class A(xs: Map[Int, Int]) derives Struct"),
      "field `xs` is a Map",
      cure
    )
    says(
      compileErrors("case class A(xs: java.util.ArrayList[Int]) derives Struct"),
      "field `xs` is a ArrayList",
      cure
    )
    says(
      compileErrors("enum E derives Struct { case A(xs: List[Int]); case B }"),
      "field `xs` is a List",
      cure
    )
    says(
      compileErrors("given Struct[List[Int]] = Struct.derived"),
      "List cannot derive Struct",
      cure
    )

  test("a recursive class does not compile, and the error names the Ref to use"):
    says(
      compileErrors("case class Node(next: Option[Node]) derives Struct"),
      "it holds itself (Node > Option > Node), so it has no size: refer to the inner Node by a Ref[Node]"
    )
    assertEquals(compileErrors("case class Node(next: Ref[Node], k: Int) derives Struct"), "")

  test("a type without a Struct does not compile, and the error names a possible cure"):
    def string = compileErrors("def f(using Region) = Rows[String](3)")
    says(string, "String has no Struct", "a String is stored as a Text[N]")
    assert(!string.contains("add `derives Struct`"), string)
    says(
      compileErrors("def f[T](using Region) = Rows[T](3)"),
      "a type parameter has a bound, [T: Struct]"
    )
    val text = compileErrors("def f(using Region) = StructMap[String, Int]()")
    says(text, "make it a Text[N], of up to N bytes")
    assert(!text.contains("derives Struct`"), text)

  test("an invalid key is one compile error, even if the result is used"):
    val errors = compileErrors(
      "def f(r: Rows[Note])(using Region) = println(r.distinctBy(_.text).toVector)"
    )
    says(errors, "a map's key is compared by its own bytes", "use a Text[N]")
    assertEquals("error:".r.findAllIn(errors).size, 1, errors)

  test("a key or a value that is a collection or holds itself is an error with the cure"):
    val cure = "a collection on the heap whose size is not fixed"
    says(compileErrors("def f(using Region) = StructMap[List[Int], Int]()"), cure)
    says(
      compileErrors("def f(using Region) = StructMap[Int, Option[List[Int]]]()"),
      "Option[List[Int]]"
    )
    says(compileErrors("def f(using Region) = StructSet[Vector[Int]]()"), cure)
    says(compileErrors("def f(r: Rows[Deal])(using Region) = r.groupBy(deal => List(1))"), cure)
    says(
      compileErrors(
        "def f(r: Rows[Deal])(using Region) = r.groupMapReduce(_.ticket)(List(_))(_ ++ _)"
      ),
      cure
    )
    says(
      compileErrors(
        "enum Tree { case Leaf; case Node(l: Tree, n: Int) }; def f(using Region) = StructSet[Tree]()"
      ),
      "Tree"
    )
    says(
      compileErrors("""def f(using Region) = StructMap.from(List("a" -> 1))"""),
      "make it a Text[N]"
    )

  test("an error names a type as the program does"):
    def errors = List(
      compileErrors("""def f(r: Rows[Parcel]) = r.ref(0).name = "x" """),
      compileErrors("def f(r: Rows[Parcel]) = r.ref(0).name.nope"),
      compileErrors("def f(r: Rows[Parcel]) = r.ref(0).atomic(_.name)"),
      compileErrors("def f(r: Rows[Parcel]) = r.ref(0).sizes = 5"),
      compileErrors("def f(r: Rows[Parcel]) = r.ref(0).part.nope"),
      compileErrors("def f(r: Rows[Parcel])(using Region) = r.sortBy(_.part)"),
      compileErrors("def f(r: Rows[Parcel])(using Region) = r.sortBy(_.toString)"),
      compileErrors("def f(r: Rows[Parcel]) = r.map(_.toString).min"),
      compileErrors("case class A(x: Text[5000]) derives Struct"),
      compileErrors("case class A(x: Int | String) derives Struct"),
      compileErrors("case class A(x: InlineArray[String, 3]) derives Struct")
    )
    val expected = List(
      "field `name` of Parcel is of type Text[8], not String",
      "Text[8] has no field `nope`; a reference to it loads the whole, by `ref()`",
      "field `name` is of type Text[8]: atomic access is to an Int or a Long",
      "field `sizes` of Parcel is of type InlineArray[Int, 3], not Int",
      "Union[(whole: Int, real: Double)] has no field `nope`; it has whole, real",
      "this is Union[(whole: Int, real: Double)]",
      "this is String",
      "String is not a primitive",
      "Text[5000]: a text has 1 to 4096 bytes",
      "field `x` has the type Int | String, which is neither",
      "InlineArray[String, 3]: an InlineArray holds primitives"
    )
    for (error, part) <- errors.zip(expected) do
      says(error, part)
      assert(!error.contains("$") && !error.contains("internal"), error)

  test("an error does not name a member that only the library may use"):
    for
      error <- List(
        compileErrors("def f(t: TextRef) = t.length"),
        compileErrors("def f(g: GrowingTable[Deal, Aligned]) = g.add(Deal(1, 2))"),
        compileErrors("def f(r: Rows[Deal]) = r.row(0)._table"),
        compileErrors("def f(r: Rows[Deal]) = r.ref(0)._address")
      )
    do
      assert(error.nonEmpty)
      assert(!error.contains("private["), error)

  test("a class that defines an iterator is a view"):
    final class Countdown(from: Int) extends View[Int]:
      def iterator: Iterator[Int] = Iterator.range(from, 0, -1)
    assertEquals(Countdown(4).map(_ * 2).filter(_ > 2).sum, 18L)
    assertEquals(Countdown(4).take(2).toVector, Vector(4, 3))
    Region.scoped:
      assertEquals(Rows.from(Countdown(3)).toVector, Vector(3, 2, 1))

  test("a type that cannot be an element does not compile, and the error names the cure"):
    says(compileErrors("def f(using Region) = Rows[Any](3)"), "Any has no Struct")
    says(compileErrors("def f(using Region) = Rows[List[Int]](3)"), "List[Int] has no Struct")
    says(compileErrors("def f(using Region) = Rows[Thread](3)"), "Thread has no Struct")
    says(
      compileErrors("enum E { case A; case B(x: Int) }; def f(using Region) = Rows[E](3)"),
      "E has no Struct",
      "`derives Struct`"
    )
    says(
      compileErrors("enum E { case A; case B(x: Int) }; case class C(e: E) derives Struct"),
      "add `derives Struct` to E"
    )
    says(
      compileErrors("def f(using Region) = Rows[Option[String]](3)"),
      "is a String, whose length is not fixed: make it a Text[N]"
    )
    says(
      compileErrors("object O { opaque type S = String }; def f(using Region) = Rows[O.S](3)"),
      "S cannot derive Struct: field `stored` is a String"
    )
    says(compileErrors("def f(using Region) = Rows[Text[0]](3)"), "a text has 1 to")
    says(
      compileErrors("case class Box[A](a: A); def f(using Region) = Rows[Box[Int]](3)"),
      "Box[Int] has no Struct"
    )
    says(
      compileErrors("case class Box[A](as: InlineArray[A, 3]) derives Struct"),
      "InlineArray"
    )
    says(
      compileErrors("case class Box[A](a: A, @bigEndian n: Int) derives Struct"),
      "Box cannot derive Struct",
      "given Struct[Box[Int]] = Struct.derived"
    )
    says(
      compileErrors("enum Opt[A] derives Struct { case One(a: A); case Two(a: A, n: Int) }"),
      "given Struct[Opt[Int]] = Struct.derived"
    )

  test("a struct of more than 16 MiB does not compile, and the error names the size"):
    says(
      compileErrors("case class A(a: Byte, @offset(2147483640) b: Long, c: Long) derives Struct"),
      "field `b` cannot be at offset 2147483640: an offset is 0 to 16777216"
    )
    says(
      compileErrors("case class A(a: Byte, @offset(-8) b: Long) derives Struct"),
      "field `b` cannot be at offset -8: an offset is 0 to 16777216"
    )
    says(
      compileErrors("case class A(a: Byte, @offset(16777208) b: Long, c: Byte) derives Struct"),
      "field `c` ends at 16777217 bytes: a struct has at most 16777216 bytes"
    )
    says(
      compileErrors("case class A(x: Far, y: Far) derives Struct"),
      "field `y` ends at 16777232 bytes: a struct has at most 16777216 bytes"
    )

  test("the Struct of a generic class of more than 16 MiB throws, and the error names the size"):
    val error = intercept[IllegalArgumentException](Doubled.structOf[Far])
    assertEquals(error.getMessage.nn, "a struct has at most 16777216 bytes, not 16777232")
    assertEquals(Doubled.structOf[Int].size, 8)

  test("the sizes of a shape of more than 16 MiB throw"):
    val long = Shape.Primitive(Shape.Kind.Long)
    val fields = List(Shape.Field("a", long), Shape.Field("b", long, offset = 2147483640))
    intercept[IllegalArgumentException](Shape.Record("A", fields).alignedSize): Unit
    assertEquals(Shape.Record("A", fields).packedSize, 16)

  test("an aligned enum has the alignment, and one without fields does not compile"):
    assertEquals((Struct[Lane].size, Struct[Lane].alignment), (64, 64))
    Region.scoped:
      val rows = Rows.from(List(Lane.Shut, Lane.Open(7)))
      assertEquals(rows.toVector, Vector(Lane.Shut, Lane.Open(7)))
    says(
      compileErrors("case class A(hue: AlignedHue) derives Struct"),
      "field `hue` has an @align of the enum AlignedHue, which has no fields"
    )

  test("an abstract case class does not compile"):
    says(
      compileErrors("sealed abstract case class Percent(value: Int) derives Struct"),
      "Percent cannot derive Struct: it is abstract, and loading a Percent creates one"
    )

  test("a StoredAs for a type with a fixed stored form does not compile"):
    val rule = "whose stored form is fixed: a StoredAs is for a type without a Struct"
    says(
      compileErrors("""
        given Struct.StoredAs[Hue, Int] = Struct.storedAs[Hue, Int](_.ordinal)(Hue.fromOrdinal(_))
        case class A(hue: Hue) derives Struct
      """),
      "field `hue` has a given Struct.StoredAs for Hue",
      rule
    )
    says(
      compileErrors("""
        given Struct.StoredAs[Hue, Int] = Struct.storedAs[Hue, Int](_.ordinal)(Hue.fromOrdinal(_))
        case class A(hues: InlineArray[Hue, 2]) derives Struct
      """),
      "field `hues` has a given Struct.StoredAs for Hue",
      rule
    )
    says(
      compileErrors("""
        given Struct.StoredAs[Option[Int], Long] =
          Struct.storedAs[Option[Int], Long](_.fold(0L)(_.toLong))(n => Some(n.toInt))
        case class A(n: Option[Int]) derives Struct
      """),
      "field `n` has a given Struct.StoredAs for Option[Int]",
      rule
    )

  test("a whole row is not a part of itself, and the error names the operation"):
    val cure = "transform replaces the whole"
    says(compileErrors("def f(r: Rows[Int]) = r.updateAll(x => x)(_ + 1)"), cure)
    says(compileErrors("def f(r: Ref[Int]) = r.update(x => x)(_ + 1)"), cure)
    says(
      compileErrors("def f(r: Rows[Int]) = r.updateAt(0)(x => x)(_ + 1)"),
      "transformAt replaces the whole"
    )

  test("a field of type Some is stored as a case class"):
    Region.scoped:
      val rows = Rows.from(List(Found(1, Some(2)), Found(3, Some(4))))
      assertEquals(rows(1), Found(3, Some(4)))
      assertEquals(rows.ref(0).at.value, 2)
end StructErrorsTest

case class Parcel(
    name: Text[8],
    sizes: InlineArray[Int, 3],
    part: Union[(whole: Int, real: Double)]
) derives Struct
case class Note(id: Int, text: TextRef) derives Struct
case class Far(a: Byte, @offset(8388608) b: Long) derives Struct
@align(64) enum Lane derives Struct, CanEqual:
  case Shut
  case Open(n: Long)
@align(16) enum AlignedHue:
  case Red, Blue
enum Hue:
  case Red, Blue
case class Doubled[A](first: A, second: A) derives Struct
object Doubled:
  def structOf[A: Struct]: Struct[Doubled[A]] = summon[Struct[Doubled[A]]]
case class Found(id: Int, at: Some[Int]) derives Struct

package undercroft.struct

import scala.compiletime.testing.typeCheckErrors

class DerivationTest extends undercroft.tools.Suite:
  inline def message(inline code: String): String =
    typeCheckErrors(code).map(_.message).mkString("\n")

  private def says(errors: String, part: String)(using munit.Location): Unit =
    assert(errors.contains(part), errors)

  test("deriving Struct for a class that is not a case class does not compile"):
    says(message("class Open(a: Int) derives Struct"), "only a case class can")

  test("deriving Struct for a class without fields does not compile"):
    says(message("case class Empty() derives Struct"), "it has no fields, so nothing to store")

  test("the error for a String field names the field and the cure"):
    says(
      message("case class Named(id: Int, name: String) derives Struct"),
      "Named cannot derive Struct: field `name` is a String, whose length is not fixed: " +
        "make it a Text[N], of up to N bytes"
    )

  test("the error for an Array field names the field"):
    says(message("case class Many(all: Array[Int]) derives Struct"), "field `all` is an Array")

  test("the error for a nested class without a Struct names the class and the cure"):
    says(
      message("case class Inner(a: Int); case class Outer(in: Inner) derives Struct"),
      "field `in` has the type Inner, which has no Struct: add `derives Struct` to Inner"
    )

  test("a recursive class does not compile, because it has no size"):
    says(
      message("case class Node(value: Int, next: Option[Node]) derives Struct"),
      "Node cannot derive Struct: it holds itself (Node > Option > Node), so it has no size"
    )
    says(message("case class Tree(left: Tree) derives Struct"), "it holds itself (Tree > Tree)")

  test("the error for an enum with fields but without a Struct names the cure"):
    says(
      message("enum E { case A(x: Int); case B }; case class Has(e: E) derives Struct"),
      "field `e` has the type E, which has no Struct: add `derives Struct` to E"
    )

  test("a String field in a tuple, an Option or a StoredAs does not compile"):
    says(
      message("case class Named(id: Int, name: (Int, String)) derives Struct"),
      "field `_2` is a String"
    )
    says(
      message("case class Named(name: Option[String]) derives Struct"),
      "field `name` is a String"
    )
    says(
      message(
        "class Key(val name: String); given Struct.StoredAs[Key, String] = " +
          "Struct.storedAs[Key, String](_.name)(Key(_)); case class Named(key: Key) derives Struct"
      ),
      "field `key` is a String"
    )

  test("a field of a type parameter without a Struct does not compile"):
    says(
      message("case class Box[A](content: A); given [A] => Struct[Box[A]] = Struct.derived"),
      "field `content`"
    )
    assertEquals(message("case class Box[A](content: A) derives Struct"), "")

  test("a field with the name of a Ref method does not compile"):
    says(
      message("case class Cell(update: Int) derives Struct"),
      "Cell cannot derive Struct: a Ref uses the name `update` itself; rename the field"
    )

  test("a private constructor does not compile, because loading calls it"):
    says(
      message("case class Secret private (a: Int) derives Struct"),
      "its constructor is not public, and loading a Secret calls it"
    )

  test("a case class with two parameter lists does not compile"):
    says(message("case class Two(a: Int)(b: Int) derives Struct"), "it has 2 parameter lists")

  test("the error for a table of a class without a Struct names the cure"):
    says(
      message("case class Plain(a: Int); def f(using undercroft.memory.Region) = Rows[Plain](1)"),
      "has one by `derives Struct`"
    )

  test("reading an unknown field or storing a value of a wrong type by a Ref does not compile"):
    says(message("def f(ref: Ref[Trade]) = ref.cost"), "cost")
    says(
      message("def f(ref: Ref[Trade]): Unit = ref.cost = 1"),
      "has no field `cost`; it has ticket"
    )
    says(
      message("def f(ref: Ref[Trade]): Unit = ref.price = \"251\""),
      "field `price` of Trade is of type Int, not String"
    )
    says(message("def f(ref: Ref[Point]): Unit = ref.x = 40000"), "is of type Short")

  test("a reference to a row of columns does not compile"):
    says(
      message("def f(rows: Columns[Trade]) = rows.ref(0)"),
      "a row of Columns is not in one place, so there is no reference to it"
    )

  test("the error for an update of a non-field lists the fields"):
    says(
      message("def f(rows: Rows[Trade]) = rows.updateAll(_.balance)(_ + 1)"),
      "updateAll needs a field, an element of an inline array or a member of a union, written as " +
        "`_.field`; the fields here are _.ticket, " +
        "_.amount, _.price, _.buy"
    )

  test("a sum of Booleans does not compile"):
    says(message("def f(rows: Rows[Trade]) = rows.sumOf(_.buy)"), "cannot be summed")

  test("assigning a table of one layout to another layout does not compile"):
    says(message("def f(rows: Rows[Trade]): PackedRows[Trade] = rows"), "Required")
end DerivationTest

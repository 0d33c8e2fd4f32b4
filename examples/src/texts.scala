import undercroft.memory.*
import undercroft.struct.*

case class Person(name: Text[24], born: Short) derives Struct // char[24], as C has it

@main def texts(): Unit =
  Region.scoped:
    val people = Columns.from(
      List(Person(Text("Ada Lovelace"), 1815), Person(Text("Grace Hopper"), 1906))
    )
    println(people.count(_.name.startsWith("Ada"))) // on the bytes; allocates nothing
    println(people.filter(_.name.contains("Hop")).map(_.name.string).toVector)

    try people(0) = Person(Text("Augusta Ada King, Countess of Lovelace"), 1815)
    catch case error: IllegalArgumentException => println(error.getMessage)
    println(Text.truncated[7]("naïveté").string)

// prints:
// 1
// Vector(Grace Hopper)
// text of 38 bytes does not fit in 24: "Augusta Ada King, Countess of Lovelace"
// naïvet

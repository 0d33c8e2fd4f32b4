import undercroft.memory.*
import undercroft.struct.*

case class Position(symbol: Text[8], amount: Int, price: Double) derives Struct

@main def places(): Unit =
  Region.scoped:
    val positions = Rows.growing[Position]
    positions += Position(Text("ACME"), 10, 2.5)
    positions += Position(Text("ACME"), 20, 2.5)

    val (a, b) = (positions.ref(0), positions.ref(1))
    b.transform(p => p.copy(amount = p.amount - 10)) // loads and stores one Int
    println(Ref.contentEquals(a, b) && Ref.hash(a) == Ref.hash(b))
    b.transform(_.copy(amount = 5, price = 2.0)) // stores an Int and a Double
    println(Ref.compare(a, b) > 0)
    Ref.swap(a, b) // as bytes
    println(positions(0))

// prints:
// true
// true
// Position(ACME,5,2.0)

import undercroft.memory.*
import undercroft.struct.*

enum Change derives Struct, CanEqual:
  case Opened, Closed
  case Traded(price: Int, amount: Int)
  case Renamed(name: Text[12])

@main def cases(): Unit =
  println(Struct[Change].layout.show)
  Region.scoped:
    val changes = Rows.growing[Change]
    changes += Change.Opened
    changes += Change.Traded(price = 250, amount = 10) // stores the tag and two Ints
    changes += Change.Renamed(Text("Undercroft"))
    changes += Change.Traded(251, 4)

    println(changes.sumOf { // reads the tag, and two Ints where it is a trade's
      case Change.Traded(price, amount) => price * amount
      case _                            => 0
    })
    println(changes.count { // reads the tag, and one Int, named by its field
      case Change.Traded(price = 250) => true
      case _                          => false
    })
    changes.ref(0)() = Change.Closed
    println(changes.ref(3) {
      case Change.Traded(price, _) if price > 250 => s"high: $price"
      case Change.Traded(price, _)                => s"low: $price"
      case other                                  => other.toString
    })
    println(changes.toVector)
end cases

// prints:
// Change: 16 bytes, aligned to 4
//        0    1  tag                  Byte
//        1    3  (padding)
//        4    4  Traded.price         Int
//        8    4  Traded.amount        Int
//        4   12  Renamed.name         Byte[12]
// 3504
// 1
// high: 251
// Vector(Closed, Traded(250,10), Renamed(Undercroft), Traded(251,4))

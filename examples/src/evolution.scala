import java.nio.file.Files
import undercroft.file.*
import undercroft.struct.*

object FirstEdition:
  enum Move derives Struct:
    case Pass
    case Place(x: Int, y: Int)
  case class Player(id: Int) derives Struct
  case class Turn(move: Move, players: InlineArray[Player, 2], seconds: Long) derives Struct

object SecondEdition:
  enum Move derives Struct:
    case Pass
    case Place(x: Int, y: Int, taken: Int = 0) // a case gains a field
    case Resign // and the enum a case, at its end
  case class Player(id: Int, rating: Double) derives Struct // in an array, too
  case class Turn(
      move: Move,
      players: InlineArray[Player, 2],
      seconds: Option[Long] // was a Long
  ) derives Struct

@main def evolution(): Unit =
  val path = Files.createTempDirectory("games").resolve("go.turns")
  locally:
    import FirstEdition.*
    val turns = Rows.create[Turn](path)
    turns += Turn(Move.Place(3, 4), InlineArray(Player(7), Player(8)), 90)
    turns += Turn(Move.Pass, InlineArray(Player(7), Player(8)), 15)
    turns.seal()
  import SecondEdition.*
  val turns = Rows.openReadOnly[Turn](path) // converted by the names of fields and cases
  println((turns(0).move, turns(1).move))
  println(turns(0).players(1))
  println(turns(0).seconds)
  turns.close()

// prints:
// (Place(3,4,0),Pass)
// Player(8,0.0)
// Some(90)

import undercroft.memory.*
import undercroft.struct.*

case class Spot(x: Int, y: Int) derives Struct
case class Player(
    at: Spot,
    target: Option[Spot],
    scores: InlineArray[Int, 3],
    effort: Union[(steps: Long, hours: Double)]
) derives Struct

@main def partUpdates(): Unit =
  Region.scoped:
    val start = Player(Spot(0, 0), None, InlineArray(1, 2, 3), Union(steps = 0L))
    val players = Columns.tabulate[Player](6)(_ => start)
    players.updateAt(1)(_.at)(spot => Spot(spot.x + 1, 5)) // a nested struct
    players.updateAt(1)(_.target)(_ => Some(Spot(7, 7))) // an Option
    players.updateAt(1)(_.scores(2))(_ * 10) // one element of an inline array
    players.updateAt(1)(_.effort.steps)(_ + 100) // a member of a union
    println((players(1).at, players(1).target, players(1).scores(2), players(1).effort.steps))

    players.strided(2).updateAll(_.scores(0))(_ + 1) // rows 0, 2 and 4
    players.reverse.updateAt(0)(_.at.y)(_ => 9) // row 5
    println(players.map(_.scores(0)).toVector)
    println(players(5).at)

// prints:
// (Spot(1,5),Some(Spot(7,7)),30,100)
// Vector(2, 1, 2, 1, 2, 1)
// Spot(0,9)

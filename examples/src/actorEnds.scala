import scala.concurrent.Await
import scala.concurrent.ExecutionContext.Implicits.global
import scala.concurrent.duration.*
import undercroft.actor.*

def openCafe(seats: Int): Behavior[String] = Behavior.receive:
  case "guest" if seats == 0 => throw IllegalStateException("no seat")
  case "guest"               => openCafe(seats - 1)
  case _                     => Behavior.stopped

@main def actorEnds(): Unit =
  val system = ActorSystem("town", listener = _ => ())
  given ActorSystem = system

  val cafe = spawn(openCafe(seats = 2), "cafe")
  val closed = cafe.whenStopped.map(_ => println("the cafe has closed"))
  cafe ! "guest"
  cafe ! "evening"
  Await.result(closed, 10.seconds)

  val full = spawn(openCafe(seats = 0))
  full ! "guest"
  Await.result(full.whenStopped, 10.seconds) // a failure ends an actor, too
  println(full.isStopped)

  val end = system.whenStopped.map(_ => println("the town sleeps"))
  system.close()
  Await.result(end, 10.seconds)
end actorEnds

// prints:
// the cafe has closed
// true
// the town sleeps

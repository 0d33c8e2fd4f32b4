import scala.concurrent.duration.*
import undercroft.actor.*

enum Parcel derives CanEqual:
  case Begin(id: Int)
  case Line(text: String)
  case End(to: ActorRef[String])

/** Gathers one parcel at a time; lines that arrive before its `Begin` wait. */
def gatherer: Behavior[Parcel] = Behavior.process: inbox =>
  while true do
    val id = inbox.receiveFirst { case Parcel.Begin(id) => id } // other messages are stashed
    var lines = List.empty[String]
    var isOpen = true
    while isOpen do
      inbox.receive() match
        case Parcel.Line(text) => lines ::= text
        case Parcel.End(to) =>
          to ! s"parcel $id: ${lines.reverse.mkString(", ")}"
          isOpen = false
        case Parcel.Begin(other) => println(s"$other is lost")

@main def processes(): Unit =
  ActorSystem.scoped("parcels"):
    val parcels = spawn(gatherer)
    parcels ! Parcel.Line("tea")
    parcels ! Parcel.Begin(1)
    parcels ! Parcel.Line("milk")
    println(parcels.ask(10.seconds)(Parcel.End(_)))

// prints:
// parcel 1: tea, milk

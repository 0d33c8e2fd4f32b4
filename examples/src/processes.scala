import scala.concurrent.duration.*
import undercroft.actor.*

enum Order derives CanEqual:
  case Begin(id: Int)
  case Line(text: String)
  case End(to: ActorRef[String])

/** Gathers one order after another; lines that come too early wait. */
def gatherer: Behavior[Order] = Behavior.process: inbox =>
  while true do
    val id = inbox.receiveFirst { case Order.Begin(id) => id } // the rest is put aside
    var lines = List.empty[String]
    var isOpen = true
    while isOpen do
      inbox.receive() match
        case Order.Line(text) => lines ::= text
        case Order.End(to) =>
          to ! s"order $id: ${lines.reverse.mkString(", ")}"
          isOpen = false
        case Order.Begin(other) => println(s"$other is lost")

@main def processes(): Unit =
  ActorSystem.scoped("orders"):
    val orders = spawn(gatherer)
    orders ! Order.Line("tea")
    orders ! Order.Begin(1)
    orders ! Order.Line("milk")
    println(orders.ask(1.second)(Order.End(_)))

// prints:
// order 1: tea, milk

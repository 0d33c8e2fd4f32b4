import java.util.concurrent.Executors
import scala.concurrent.duration.*
import undercroft.actor.*

def printer: Behavior[Reply[String]] = Behavior.receive: reply =>
  reply ! Thread.currentThread.getName
  Behavior.same

@main def executors(): Unit =
  val pool = Executors.newFixedThreadPool(2, Thread.ofPlatform.name("printers-", 1).factory)
  ActorSystem.scoped("office"):
    val first = spawn(printer, run = Run.On(pool))
    val second = spawn(printer, run = Run.On(pool)) // may run at the same time as the first
    for actor <- List(first, second) do
      println(actor.ask[String](10.seconds)(identity).startsWith("printers-"))
  pool.shutdown() // after the actors have stopped

// prints:
// true
// true

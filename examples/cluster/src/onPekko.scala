import org.apache.pekko.actor.typed
import org.apache.pekko.actor.typed.scaladsl.Behaviors
import scala.concurrent.duration.*
import undercroft.actor.*
import undercroft.pekko.*

enum Stock:
  case Change(count: Int)
  case Count(to: typed.ActorRef[Int])

/** Was a behavior of Pekko. Its messages are unchanged, and so are its callers. */
def stock: Behavior[Stock] = Behavior.setup:
  var total = 0
  Behavior.receive:
    case Stock.Change(count) => total += count; Behavior.same
    case Stock.Count(to)     => to ! total; Behavior.same

enum Sale:
  case Sold(count: Int)
  case Close(to: typed.ActorRef[Int])

/** Still a behavior of Pekko. */
def clerk(stock: typed.ActorRef[Stock]): typed.Behavior[Sale] = Behaviors.receiveMessage:
  case Sale.Sold(count) =>
    stock ! Stock.Change(-count)
    Behaviors.same
  case Sale.Close(to) =>
    stock ! Stock.Count(to)
    Behaviors.stopped

/** A new behavior, which uses an actor of Pekko: it sells, and asks for the remaining stock. */
def manager(clerk: ActorRef[Sale])(using typed.ActorSystem[?]): Behavior[Reply[Int]] = Behavior
  .setup[Reply[Int]] {
    context.watch(clerk)
    Behavior.receive: reply =>
      for count <- 1 to 10 do clerk ! Sale.Sold(count)
      clerk ! Sale.Close(reply.toPekko) // the clerk replies to an actor of Pekko
      Behavior.same
  }
  .onSignal { case Signal.Terminated(_, _) => Behavior.same } // the clerk's day is over

@main def onPekko(): Unit =
  given system: typed.ActorSystem[Nothing] =
    typed.ActorSystem[Nothing](Behaviors.empty[Nothing], "shop")
  try
    val nuts = system.systemActorOf(stock.toPekko(), "nuts") // an actor of Pekko, as before
    val seller = system.systemActorOf(clerk(nuts), "clerk")
    nuts ! Stock.Change(100)
    seller ! Sale.Sold(5)
    ActorSystem.scoped("office"):
      val ann = spawn(manager(seller.toUndercroft), "ann", run = Run.Pekko())
      println(ann.ask[Int](10.seconds)(identity))
  finally system.terminate()

// prints:
// 40

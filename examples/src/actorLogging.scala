import undercroft.actor.*
import undercroft.actor.slf4j.*

def desk: Behavior[Int] = Behavior.setup:
  val log = context.logger // named by this class
  Behavior.receive: price =>
    log.info("sold for {}", price)
    Behavior.same

def market: Behavior[Int] = Behavior.setup:
  val first = spawn(desk, "desk")
  Behavior.receive: price =>
    first ! price
    Behavior.same

@main def actorLogging(): Unit =
  ActorSystem.scoped("town"):
    spawn(market, "market") ! 250

// prints:
// INFO actorLogging [town/market/desk] sold for 250

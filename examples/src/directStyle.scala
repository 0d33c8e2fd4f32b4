import ox.{par, raceSuccess, supervised, timeoutOption, useCloseableInScope}
import scala.concurrent.duration.*
import undercroft.actor.*

// Asks in direct style, in the scopes of ox.

enum Stand:
  case Price(item: String, to: Reply[Int])
  case Arrived(item: String, price: Int)

def stand(prices: Map[String, Int]): Behavior[Stand] = Behavior.setup:
  var known = prices
  var waiting = Vector.empty[(String, Reply[Int])]
  Behavior.receive:
    case Stand.Price(item, to) =>
      known.get(item).fold(waiting :+= item -> to)(price => to ! price)
      Behavior.same
    case Stand.Arrived(item, price) =>
      known += item -> price
      val (served, others) = waiting.partition(_._1 == item)
      for (_, to) <- served if to.isOpen do to ! price // not to a canceled ask
      waiting = others
      Behavior.same

@main def directStyle(): Unit =
  supervised:
    // the end of the scope closes the actor system, after all forks have ended
    given ActorSystem = useCloseableInScope(ActorSystem("market"))
    val near = spawn(stand(Map("nut" -> 3)))
    val far = spawn(stand(Map("fig" -> 5)))
    def priceAt(stand: ActorRef[Stand], item: String): Int =
      stand.ask[Int](1.minute)(Stand.Price(item, _))

    // two asks at the same time
    println(par(priceAt(near, "nut"), priceAt(far, "fig")))
    // the first reply counts, and the other ask is canceled
    println(raceSuccess(priceAt(near, "fig"), priceAt(far, "fig")))
    // a time limit for several asks together
    println(timeoutOption(50.millis)(priceAt(near, "pear") + priceAt(far, "pear")))

// prints:
// (3,5)
// 5
// None

import scala.concurrent.Await
import scala.concurrent.duration.*
import undercroft.actor.*
import undercroft.actor.persistence.*
import undercroft.struct.*

enum ShopEvent derives Struct, CanEqual:
  case Opened
  case Sold(cents: Long)

case class ShopDay(isOpen: Boolean, cents: Long, lastSale: Long) derives Struct

enum ShopCommand:
  case Open
  case Sell(cents: Long, to: ActorRef[String])

def storedShop(journal: Journal[ShopEvent, ShopDay], id: Long): Behavior[ShopCommand] =
  Persistent(journal, id, ShopDay(false, 0, 0))(
    command = (day, command) =>
      command match
        case ShopCommand.Open =>
          Effect.persist(ShopEvent.Opened).thenUnstashAll
        case ShopCommand.Sell(_, _) if !day.isOpen => Effect.stash // comes again when it is open
        case ShopCommand.Sell(cents, to) =>
          Effect
            .persist(ShopEvent.Sold(cents))
            .thenReply(to)(day => s"event $eventNumber: ${day.cents} cents")
    ,
    event = (day, sale) =>
      sale match
        case ShopEvent.Opened      => day.copy(isOpen = true)
        case ShopEvent.Sold(cents) => ShopDay(true, day.cents + cents, lastSale = eventNumber)
    ,
    signal = { case (day, Signal.PostStop) =>
      println(s"closed with ${day.cents} cents, the last sale was event ${day.lastSale}")
    }
  )

@main def persistentShop(): Unit =
  val journal = Journal.inMemory[ShopEvent, ShopDay]()
  ActorSystem.scoped("town"):
    val actor = spawn(storedShop(journal, id = 1), "shop")
    val early = actor.askAsync[String](10.seconds)(ShopCommand.Sell(250, _))
    actor ! ShopCommand.Open
    println(Await.result(early, 10.seconds))
    println(actor.ask[String](10.seconds)(ShopCommand.Sell(50, _)))

// prints:
// event 2: 250 cents
// event 3: 300 cents
// closed with 300 cents, the last sale was event 3

import scala.concurrent.duration.*
import undercroft.actor.*

final case class Invoice(number: Int, amount: Int)

/** Books invoices. A message that fails is retried once, by the restarted actor, and then parked.
  */
def books: Behavior[Invoice] = Behavior
  .setup[Invoice]:
    var booked = 0
    Behavior
      .receive[Invoice] { invoice =>
        if invoice.amount < 0 then throw IllegalArgumentException(s"amount ${invoice.amount}")
        booked += invoice.amount
        println(s"booked $invoice")
        Behavior.same
      }
      .onMessageFailure(
        { case _: IllegalArgumentException =>
          MessageFailure.Retry(1, otherwise = MessageFailure.Park)
        },
        state = s"$booked booked" // of then, in your own words
      )
  .supervised { case _: IllegalArgumentException => Supervision.Restart() }

/** Three children that restart together: if one fails, all restart, one after another. */
def shop: Behavior[String] = Behavior.setup:
  def part(name: String): Behavior[String] = Behavior
    .setup[String]:
      println(s"$name begins")
      Behavior.receive(word => throw IllegalStateException(word))
    .supervised { case _ => Supervision.RestartAll(limit = 3, within = 1.minute) }
  val parts = for name <- List("database", "cache", "web") yield spawn(part(name), name)
  Behavior.receive: word =>
    parts.last ! word
    Behavior.same

@main def failingMessages(): Unit =
  val system = ActorSystem("shop", workers = 1, listener = _ => ())
  val ledger = spawn(books, "ledger")(using system)
  for (amount, i) <- List(5, -7, 9).zipWithIndex do ledger ! Invoice(i, amount)
  system.awaitQuiescence(1.minute)
  for parked <- system.drainParked() do // message, cause and state at the failure
    println(s"${parked.message} of ${parked.actor}: ${parked.cause.getMessage}; ${parked.state}")
  val open = spawn(shop, "shop")(using system)
  system.awaitQuiescence(1.minute)
  open ! "a cable is loose"
  system.awaitQuiescence(1.minute)
  system.close()

// prints:
// booked Invoice(0,5)
// booked Invoice(2,9)
// Invoice(1,-7) of ledger: amount -7; 0 booked
// database begins
// cache begins
// web begins
// database begins
// cache begins
// web begins

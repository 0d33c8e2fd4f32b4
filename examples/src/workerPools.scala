import scala.concurrent.duration.*
import undercroft.actor.*

def clerk: Behavior[Reply[String]] = Behavior.receive: reply =>
  reply ! Thread.currentThread.getName
  Behavior.same

@main def workerPools(): Unit =
  ActorSystem.scoped("bank", workers = 1, pools = Map("reports" -> 1)):
    val teller = spawn(clerk)
    val reporter = spawn(clerk, run = Run.Pool("reports")) // never takes a thread from the tellers
    for actor <- List(teller, reporter) do println(actor.ask[String](10.seconds)(identity))

// prints:
// bank-worker-0
// bank-reports-worker-0

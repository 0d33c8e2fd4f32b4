import java.util.concurrent.CountDownLatch
import scala.concurrent.blocking
import undercroft.actor.*

enum Errand derives CanEqual:
  case Open(here: CountDownLatch, door: CountDownLatch)
  case Serve(who: String)
  case Announce(what: String)

def till: Behavior[Errand] = Behavior.receive:
  case Errand.Open(here, door) =>
    here.countDown()
    blocking(door.await()) // meanwhile another worker has this worker's other actors
    Behavior.same
  case Errand.Serve(who)     => println(s"$who is served"); Behavior.same
  case Errand.Announce(what) => println(what); Behavior.same

@main def control(): Unit =
  val (here, door) = (CountDownLatch(1), CountDownLatch(1))
  ActorSystem.scoped("shop"):
    val shop = spawn(till)
    shop ! Errand.Open(here, door)
    here.await()
    shop ! Errand.Serve("Ada")
    shop ! Errand.Serve("Grace")
    shop.tellPriority(Errand.Announce("ten minutes left")) // before all that waits
    door.countDown()

// prints:
// ten minutes left
// Ada is served
// Grace is served

package outside.pekko

import com.typesafe.config.ConfigFactory
import java.util.concurrent.{CountDownLatch, TimeUnit}
import org.apache.pekko.actor.typed
import org.apache.pekko.actor.typed.{DispatcherSelector, MailboxSelector}
import org.apache.pekko.actor.typed.scaladsl.Behaviors
import undercroft.actor.*
import undercroft.pekko.*

class BoundedMailboxTest extends PekkoSuite:
  test("a full mailbox of Pekko drops messages, and later turns of the actor still run"):
    given system: typed.ActorSystem[Nothing] = typed.ActorSystem[Nothing](
      Behaviors.empty[Nothing],
      "one",
      ConfigFactory.parseString("""one {
        type = Dispatcher
        executor = thread-pool-executor
        thread-pool-executor.fixed-pool-size = 1
        throughput = 1
      }""").withFallback(ConfigFactory.load())
    )
    try
      val notes = Notes()
      val (isBusy, mayContinue) = (CountDownLatch(1), CountDownLatch(1))
      val blocker = system.systemActorOf(
        Behaviors.receiveMessage[Int] { _ =>
          isBusy.countDown()
          val _ = mayContinue.await(1, TimeUnit.MINUTES)
          Behaviors.same
        },
        "blocker",
        DispatcherSelector.fromConfig("one")
      )
      val ref = system.systemActorOf(
        Behavior
          .receive[String] { word =>
            notes.add(word)
            Behavior.same
          }
          .toPekko(),
        "bounded",
        MailboxSelector.bounded(2).withDispatcherFromConfig("one")
      )
      ref ! "0"
      assertEquals(notes.take(1), List("0"))
      val actor = ref.toUndercroft
      blocker ! 1
      assert(isBusy.await(1, TimeUnit.MINUTES))
      for n <- 1 to 10 do ref ! s"$n"
      actor ! "direct"
      mayContinue.countDown()
      assertEquals(notes.take(4).toSet, Set("0", "1", "2", "direct"))
      actor ! "later"
      assertEquals(notes.take(5).last, "later")
    finally system.terminate()
    end try
end BoundedMailboxTest

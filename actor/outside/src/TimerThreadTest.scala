package outside.actor

import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit.SECONDS
import scala.concurrent.{Await, Promise}
import scala.concurrent.duration.*
import undercroft.actor.*

/** The threads on which the messages of timers are handled. */
class TimerThreadTest extends undercroft.tools.Suite:

  for (label, run) <- Seq("Run.Caller" -> Run.Caller, "a direct executor" -> Run.On(_.run())) do
    test(s"a timer's handler that waits, on $label, does not keep other timers waiting"):
      ActorSystem.scoped("shop"):
        val other = CountDownLatch(1)
        val waited = Promise[Boolean]()
        spawn(Behavior.setup[String]:
          context.startSingleTimer("t", "release", 500.millis)
          Behavior.receive: _ =>
            other.countDown()
            Behavior.same): Unit
        spawn(
          Behavior.setup[String]:
            context.startSingleTimer("t", "wait", 100.millis)
            Behavior.receive: _ =>
              waited.success(other.await(50, SECONDS))
              Behavior.same
          ,
          run = run
        ): Unit
        assert(Await.result(waited.future, 60.seconds))
  end for
end TimerThreadTest

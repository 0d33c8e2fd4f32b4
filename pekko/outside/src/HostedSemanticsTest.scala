package outside.pekko

import java.util.concurrent.TimeUnit
import java.util.concurrent.CountDownLatch
import org.apache.pekko.actor.typed
import org.apache.pekko.actor.typed.MailboxSelector
import org.apache.pekko.actor.typed.scaladsl.Behaviors
import scala.concurrent.duration.*
import undercroft.actor.*
import undercroft.pekko.*

/** The statements of the table in docs/howto/pekko.md that no other test shows. */
class HostedSemanticsTest extends PekkoSuite:

  test("a process as a Pekko actor runs on a virtual thread, and stops the Pekko actor at its end"):
    pekko:
      val notes = Notes()
      val ref = start(
        Behavior
          .process[String] { inbox =>
            notes.add(inbox.receiveFirst { case "second" => Thread.currentThread.isVirtual })
            notes.add(inbox.receive())
          }
          .toPekko()
      )
      val watcher = start(
        Behavior
          .setup[String] {
            context.watchWith(ref.toUndercroft, "stopped")
            Behavior.receive: word =>
              notes.add(word)
              Behavior.same
          }
          .toPekko()
      )
      ref ! "first"
      ref ! "second"
      assertEquals(notes.take(3), List("true", "first", "stopped"))
      watcher ! "end"

  test("an intercepted behavior runs as a Pekko actor, across changes, restarts and its end"):
    pekko:
      val notes = Notes()
      final class Noting extends BehaviorInterceptor[String, String]:
        private var count = 0
        def aroundReceive(
            word: String,
            target: BehaviorInterceptor.Target[String]
        ): Behavior[String] =
          count += 1
          notes.add(s"$count $word")
          target.receive(word)
        override def aroundSignal(
            signal: Signal,
            target: BehaviorInterceptor.Target[String]
        ): Behavior[String] =
          notes.add(signal)
          target.signal(signal)
      def inner(name: String): Behavior[String] = Behavior.receive:
        case "fail" => throw IllegalStateException("a failure")
        case "stop" => Behavior.stopped
        case word =>
          notes.add(s"$name got $word")
          inner(word)
      val ref = start(
        Behavior
          .intercept(Noting())(inner("first").supervised { case _: IllegalStateException =>
            Supervision.Restart()
          })
          .toPekko()
      )
      for word <- List("a", "b", "fail", "c", "stop") do ref ! word
      assertEquals(
        notes.take(10),
        List("1 a", "first got a", "2 b", "a got b", "3 fail", "PreRestart", "4 c") ++
          List("first got c", "5 stop", "PostStop")
      )

  test("isStopped of an actor of Pekko is true after it, or its system, has stopped"):
    val survivor = pekko:
      val target = start(Behaviors.receiveMessage[String](_ => Behaviors.stopped))
      val ref = target.toUndercroft
      assert(!ref.isStopped)
      ref ! "stop"
      until(ref.isStopped)
      val late = target.toUndercroft // a reference that was created afterwards
      until(late.isStopped)
      val other = start(Behaviors.ignore[String]).toUndercroft
      assert(!other.isStopped)
      (other, start(Behaviors.ignore[String]).toUndercroft)
    until(survivor(0).isStopped)
    until(survivor(1).isStopped)

  test("the audit of the hosted actors counts each message"):
    pekko:
      val notes = Notes()
      val ref = start(
        Behavior
          .setup[Int] {
            val before = context.system.observe.audit.sent
            Behavior.receive: n =>
              if n == 100 then notes.add(context.system.observe.audit.sent - before >= 100)
              Behavior.same
          }
          .toPekko()
      )
      for n <- 1 to 100 do ref ! n
      assertEquals(notes.take(1), List("true"))

  test("RestartAll of a hosted actor restarts itself, and keeps its reference"):
    pekko:
      val notes = Notes()
      val fragile = Behavior
        .setup[Int] {
          notes.add("setup")
          Behavior.receive: n =>
            notes.add(100 / n)
            Behavior.same
        }
        .supervised { case _: ArithmeticException => Supervision.RestartAll(3, 1.minute) }
      val other = start(fragile.toPekko())
      assertEquals(notes.take(1), List("setup"))
      val ref = start(fragile.toPekko())
      for n <- List(5, 0, 4) do ref ! n
      assertEquals(notes.take(5), List("setup", "setup", "20", "setup", "25"))
      other ! 1
      assertEquals(notes.take(6).last, "100")

  test("a priority message overtakes by the reference of the hosted actor"):
    pekko:
      val notes = Notes()
      val (isBusy, mayGoOn) = (CountDownLatch(1), CountDownLatch(1))
      val ref = start(
        Behavior
          .receive[String] { word =>
            if word == "wait" then
              isBusy.countDown()
              val _ = mayGoOn.await(1, TimeUnit.MINUTES)
            notes.add(word)
            Behavior.same
          }
          .toPekko()
      )
      ref ! "wait"
      assert(isBusy.await(1, TimeUnit.MINUTES))
      val actor = ref.toUndercroft
      actor ! "later"
      actor.tellPriority("first")
      mayGoOn.countDown()
      assertEquals(notes.take(3), List("wait", "first", "later"))
end HostedSemanticsTest

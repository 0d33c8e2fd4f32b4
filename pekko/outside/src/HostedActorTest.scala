package outside.pekko

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger
import org.apache.pekko.actor.typed
import org.apache.pekko.actor.typed.SupervisorStrategy
import org.apache.pekko.actor.typed.scaladsl.AskPattern.*
import org.apache.pekko.actor.typed.scaladsl.Behaviors
import scala.concurrent.{Await, Future}
import scala.concurrent.duration.*
import undercroft.actor.*
import undercroft.pekko.*

enum Account:
  case Deposit(amount: Int)
  case Balance(to: typed.ActorRef[Int])
  case Close

/** Behaviors of Undercroft as Pekko actors. */
class HostedActorTest extends PekkoSuite:

  private def account: Behavior[Account] = Behavior.setup:
    var sum = 0
    Behavior.receive:
      case Account.Deposit(amount) =>
        sum += amount
        Behavior.same
      case Account.Balance(to) =>
        to ! sum
        Behavior.same
      case Account.Close => Behavior.stopped

  private def balance(ref: typed.ActorRef[Account])(using typed.ActorSystem[Any]): Int =
    given org.apache.pekko.util.Timeout = patience
    Await.result(ref.ask[Int](Account.Balance(_)), patience)

  test("messages arrive in order, and Pekko's ask gets the reply"):
    pekko:
      val ref = start(account.toPekko())
      for n <- 1 to 10_000 do ref ! Account.Deposit(n)
      assertEquals(balance(ref), 50_005_000)

  test("each Pekko actor has a state of its own"):
    pekko:
      val behavior = account.toPekko()
      val refs = Vector.fill(100)(start(behavior))
      for (ref, n) <- refs.zipWithIndex do ref ! Account.Deposit(n)
      assertEquals(refs.map(balance), Vector.range(0, 100))

  test("Behavior.stopped stops the Pekko actor, after PostStop"):
    pekko:
      val notes = Notes()
      val ref = start(
        account
          .onSignal { case Signal.PostStop =>
            notes.add("PostStop")
            Behavior.same
          }
          .toPekko()
      )
      watchFromPekko(ref, notes)
      ref ! Account.Close
      assertEquals(notes.take(2), List("PostStop", "Terminated"))

  private def watchFromPekko(ref: typed.ActorRef[?], notes: Notes)(using
      typed.ActorSystem[Any]
  ): Unit =
    start(Behaviors.setup[Any] { context =>
      context.watch(ref)
      Behaviors.receiveSignal { case (_, typed.Terminated(_)) =>
        notes.add("Terminated")
        Behaviors.stopped
      }
    }): Unit

  test("a setup that stops at once"):
    pekko:
      val notes = Notes()
      watchFromPekko(start(Behavior.setup[Int](Behavior.stopped).toPekko()), notes)
      assertEquals(notes.take(1), List("Terminated"))

  test("a failure reaches Pekko's supervision, which restarts with a new actor"):
    pekko:
      val setups = AtomicInteger()
      val notes = Notes()
      val fragile = Behavior
        .setup[Int] {
          setups.incrementAndGet()
          Behavior.receive: n =>
            notes.add(100 / n)
            Behavior.same
        }
        .onSignal { case Signal.PostStop =>
          notes.add("PostStop")
          Behavior.same
        }
      val ref =
        start(Behaviors.supervise(
          fragile.toPekko()
        ).onFailure[ArithmeticException](SupervisorStrategy.restart))
      for n <- List(5, 0, 4) do ref ! n
      assertEquals(notes.take(3), List("20", "PostStop", "25"))
      assertEquals(setups.get, 2)

  test("a failed setup reaches Pekko, too"):
    pekko:
      val notes = Notes()
      val ref = start(Behavior.setup[Int](throw IllegalStateException("no file")).toPekko())
      watchFromPekko(ref, notes)
      assertEquals(notes.take(1), List("Terminated"))

  test("supervision of Undercroft decides first: resume, restart, backoff, escalate"):
    pekko:
      val notes = Notes()
      def divider(decision: Supervision): Behavior[Int] = Behavior
        .setup[Int] {
          notes.add("setup")
          Behavior.receive: n =>
            notes.add(100 / n)
            Behavior.same
        }
        .supervised { case _: ArithmeticException => decision }
      val decisions = List(
        Supervision.Resume -> List("setup", "20", "25"),
        Supervision.Restart() -> List("setup", "20", "setup", "25"),
        Supervision.Backoff(1.milli, 10.millis) -> List("setup", "20", "setup", "25")
      )
      var seen = 0
      for (decision, expected) <- decisions do
        val ref = start(divider(decision).toPekko())
        for n <- List(5, 0, 4) do ref ! n
        seen += expected.size
        assertEquals(notes.take(seen).takeRight(expected.size), expected, decision)
      val escalated = start(divider(Supervision.Escalate).toPekko())
      watchFromPekko(escalated, notes)
      escalated ! 0
      assertEquals(notes.take(seen + 2).takeRight(2), List("setup", "Terminated"))
      // The actors beside it still run.
      assertEquals(balance(start(account.toPekko())), 0)

  test("stash, timers, receive timeout and pipeToSelf"):
    pekko:
      val notes = Notes()
      val busy: Behavior[String] = Behavior.setup:
        var waiting = 0
        context.pipeToSelf(Future.successful("piped"))(_.get)
        def open: Behavior[String] = Behavior.receive: word =>
          notes.add(word)
          if word == "idle" then Behavior.stopped else Behavior.same
        Behavior.receive:
          case "open" =>
            context.unstashAll()
            context.setReceiveTimeout(20.millis, "idle")
            open
          case _ =>
            context.stash()
            waiting += 1
            if waiting == 3 then context.startSingleTimer("open", "open", 20.millis)
            Behavior.same
      val ref = start(busy.toPekko())
      ref ! "a"
      ref ! "b"
      val seen = notes.take(4)
      assertEquals(seen.filterNot(_ == "piped"), List("a", "b", "idle"))
      assert(seen.contains("piped"), seen)

  test("a hosted actor has children on Undercroft's workers, and is told when they stop"):
    pekko:
      val notes = Notes()
      val parent: Behavior[Int] = Behavior.setup:
        val child = spawn(Behavior.receive[Int] { n =>
          notes.add(n)
          Behavior.stopped
        })
        context.watch(child)
        Behavior
          .receive[Int] { n =>
            child ! n
            Behavior.same
          }
          .onSignal { case Signal.Terminated(_, None) =>
            notes.add("Terminated")
            Behavior.stopped
          }
      start(parent.toPekko()) ! 7
      assertEquals(notes.take(2), List("7", "Terminated"))

  test("when Pekko stops the actor, it and its children get PostStop"):
    val notes = Notes()
    pekko:
      def noting(name: String): Behavior[Int] = Behavior
        .setup[Int] {
          if name == "parent" then spawn(noting("child")): Unit
          notes.add(name)
          Behavior.ignore[Int]
        }
        .onSignal { case Signal.PostStop =>
          notes.add(s"$name PostStop")
          Behavior.same
        }
      val holder = start(Behaviors.setup[String] { context =>
        context.spawn(noting("parent").toPekko(), "hosted"): Unit
        Behaviors.receiveMessage(_ => Behaviors.stopped)
      })
      assertEquals(notes.take(2).toSet, Set("parent", "child"))
      holder ! "stop"
      assertEquals(notes.take(4).drop(2), List("child PostStop", "parent PostStop"))

  test("the end of the Pekko system stops hosted actors, also busy ones"):
    val notes = Notes()
    pekko:
      for i <- 1 to 100 do
        val ref = start(
          Behavior
            .setup[Int] {
              context.startTimerAtFixedRate("ticks", 1, 1.milli)
              Behavior.ignore[Int]
            }
            .onSignal { case Signal.PostStop =>
              notes.add(i)
              Behavior.same
            }
            .toPekko()
        )
        ref ! 1
    assertEquals(notes.take(100).toSet, (1 to 100).map(_.toString).toSet)

  test("an actor of Undercroft as the guardian of a Pekko system"):
    val notes = Notes()
    val system = typed.ActorSystem(
      Behavior
        .receive[String] { word =>
          notes.add(word)
          if word == "end" then Behavior.stopped else Behavior.same
        }
        .toPekko(),
      "guarded"
    )
    system ! "begin"
    system ! "end"
    Await.ready(system.whenTerminated, patience)
    assertEquals(notes.all, List("begin", "end"))

  test("both directions: references, watches and asks"):
    pekko:
      val notes = Notes()
      val echo = start(Behaviors.receiveMessage[(String, typed.ActorRef[String])] { (word, to) =>
        if word == "stop" then Behaviors.stopped
        else
          to ! word
          Behaviors.same
      })
      val client: Behavior[String] = Behavior.setup:
        val server = echo.toUndercroft
        context.watch(server)
        Behavior
          .receive[String] { word =>
            if word.startsWith("say ") then server ! (word.drop(4), self.toPekko)
            else notes.add(word)
            Behavior.same
          }
          .onSignal { case Signal.Terminated(ref, None) =>
            notes.add(ref == server)
            Behavior.stopped
          }
      val ref = start(client.toPekko())
      ref ! "say hello"
      assertEquals(notes.take(1), List("hello"))
      val answer = echo.toUndercroft.ask[String](patience)(reply => ("asked", reply.toPekko))
      assertEquals(answer, "asked")
      echo ! ("stop", ref)
      assertEquals(notes.take(2), List("hello", "true"))

  test("an ask of a Pekko actor that does not reply times out"):
    pekko:
      val silent = start(Behaviors.ignore[typed.ActorRef[Int]])
      val error = intercept[AskTimeoutException](
        silent.toUndercroft.ask[Int](20.millis)(reply => reply.toPekko)
      )
      assert(error.getMessage.contains("did not answer within"), error.getMessage)

  test("a reference to an actor of the system's own is the same each time, until it stops"):
    pekko:
      ActorSystem.scoped("mine"):
        val notes = Notes()
        val actor = spawn(Behavior.receive[String] { word =>
          notes.add(word)
          if word == "end" then Behavior.stopped else Behavior.same
        })
        val address = actor.toPekko
        assertEquals(actor.toPekko, address)
        watchFromPekko(address, notes)
        address ! "hello"
        address ! "end"
        assertEquals(notes.take(3), List("hello", "end", "Terminated"))

  test("an actor of Undercroft that stopped before it is watched by Pekko"):
    pekko:
      val notes = Notes()
      ActorSystem.scoped("mine"):
        val actor = spawn(Behavior.setup[Int](Behavior.stopped))
        until(actor.isStopped)
        watchFromPekko(actor.toPekko, notes)
        assertEquals(notes.take(1), List("Terminated"))

  test("a watch of a Pekko actor that has stopped, and unwatch"):
    pekko:
      val notes = Notes()
      val ended = start(Behaviors.setup[Int](_ => Behaviors.stopped))
      val other = start(Behaviors.receiveMessage[Int](_ => Behaviors.stopped))
      val watcher = start(
        Behavior
          .setup[String] {
            context.watchWith(ended.toUndercroft, "ended")
            context.watchWith(other.toUndercroft, "other")
            Behavior.receive: word =>
              if word == "unwatch" then
                context.unwatch(other.toUndercroft)
                other ! 1
              notes.add(word)
              Behavior.same
          }
          .toPekko()
      )
      watcher ! "unwatch"
      notes.take(2)
      start(Behavior.ignore[Int].toPekko()) ! 1
      assertEquals(notes.all.toSet, Set("ended", "unwatch"))

  test("the future of a Pekko actor completes when Pekko has reported its end, or the system's"):
    var late: Option[ActorRef[Int]] = None
    pekko:
      val ending = start(Behaviors.receiveMessage[Int](_ => Behaviors.stopped)).toUndercroft
      val future = ending.whenStopped
      assert(!future.isCompleted)
      ending ! 1
      Await.result(future, patience)
      Await.result(ending.whenStopped, patience) // again, of an actor that has stopped
      val hosted = start(Behavior.receive[Int](_ => Behavior.stopped).toPekko()).toUndercroft
      val hostedFuture = hosted.whenStopped
      hosted ! 1
      Await.result(hostedFuture, patience)
      late = Some(start(Behaviors.ignore[Int]).toUndercroft)
    Await.result(late.get.whenStopped, patience)

  test("a link with a Pekko actor is refused"):
    pekko:
      val notes = Notes()
      val other = start(Behaviors.ignore[Int])
      start(Behavior
        .setup[Int] {
          try context.link(other.toUndercroft)
          catch case error: IllegalArgumentException => notes.add(error.getMessage)
          Behavior.ignore[Int]
        }
        .toPekko())
      assert(notes.take(1).head.contains("cannot be linked to pekko://pekko/user/"), notes.all)

  test("a mailbox with back-pressure is refused"):
    val error = intercept[IllegalArgumentException](
      Behavior.ignore[Int].toPekko(Mailbox(10, Overflow.Backpressure))
    )
    assert(error.getMessage.contains("allowed: Fail, DropNewest, DropOldest"), error.getMessage)

  test("Run.Pekko runs an actor of Undercroft on a dispatcher of Pekko"):
    pekko:
      val notes = Notes()
      ActorSystem.scoped("mine"):
        spawn(
          Behavior.receive[Int] { _ =>
            notes.add(Thread.currentThread.getName)
            Behavior.same
          },
          run = Run.Pekko()
        ) ! 1
      assert(notes.take(1).head.contains("pekko.actor.default-dispatcher"), notes.all)

  test("threads send to a hosted actor while its timers and children send, 200 000 messages"):
    pekko:
      val seen = ConcurrentHashMap[Int, Int]()
      val sum: Behavior[Int] = Behavior.setup:
        var count = 0
        val child = spawn(Behavior.receive[ActorRef[Int]] { to =>
          to ! 0
          Behavior.same
        })
        context.startTimerAtFixedRate("ticks", -1, 1.milli)
        Behavior.receive: n =>
          if n > 0 then
            count += 1
            child ! self
          seen.merge(n.sign, 1, _ + _): Unit
          Behavior.same
      val ref = start(sum.toPekko())
      val threads = Vector.fill(4)(Thread.ofPlatform.start(() => for _ <- 1 to 25_000 do ref ! 1))
      threads.foreach(_.join())
      until(seen.getOrDefault(1, 0) == 100_000 && seen.getOrDefault(0, 0) == 100_000)
      until(seen.getOrDefault(-1, 0) > 0)

  test("a thousand actors start and stop, and none remains"):
    pekko:
      for round <- 1 to 10 do
        val notes = Notes()
        val refs = Vector.fill(100)(start(account.toPekko()))
        refs.foreach(watchFromPekko(_, notes))
        refs.foreach(_ ! Account.Close)
        assertEquals(notes.take(100).size, 100)
end HostedActorTest

package outside.actor

import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch, TimeUnit}
import java.util.logging.{Handler, Level, LogRecord, Logger}
import scala.concurrent.Await
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*
import scala.util.{Failure, Try}
import undercroft.actor.*

/** Failures of handlers, as the asker, the parent, the supervision and the log see them. */
class FailedAskTest extends undercroft.tools.Suite:
  private final class Broken(text: String) extends RuntimeException(text)

  private def broken: Behavior[Reply[Int]] = Behavior.receive(_ => throw Broken("no price"))

  private val decisions = List(
    Supervision.Stop,
    Supervision.Resume,
    Supervision.Restart(limit = 100),
    Supervision.Backoff(1.milli, 1.milli),
    Supervision.RestartAll(),
    Supervision.Escalate
  )

  private def requireFailed(result: Try[Int], name: String)(using munit.Location): Unit =
    result match
      case Failure(error: AskFailedException) =>
        assertEquals(error.getCause.getMessage, "no price")
        assert(error.getMessage.contains(s"the handler of $name failed: "), error.getMessage)
      case other => fail(s"$other")

  for run <- List(Run.Workers, Run.Virtual, Run.Thread, Run.Caller) do
    test(s"an ask whose handler fails ends with the failure under each supervision ($run)"):
      for decision <- decisions do
        ActorSystem.scoped("town", listener = _ => ()):
          val shop = spawn(broken.supervised { case _ => decision }, "shop", run)
          requireFailed(Try(shop.ask[Int](1.hour)(identity)), "shop")
        ActorSystem.scoped("town", listener = _ => ()):
          val later = spawn(broken.supervised { case _ => decision }, "till", run)
          val answer = later.askAsync[Int](1.hour)(identity)
          requireFailed(Await.ready(answer, 1.minute).value.get, "till")

  test("an ask that is dropped or parked by onMessageFailure ends with the failure"):
    for outcome <- List(MessageFailure.Drop, MessageFailure.Park) do
      ActorSystem.scoped("town", listener = _ => ()):
        val shop = spawn(
          broken.onMessageFailure { case _ => outcome }.supervised { case _ => Supervision.Resume },
          "shop"
        )
        requireFailed(Try(shop.ask[Int](1.hour)(identity)), "shop")

  test("an ask that is handled again ends with the reply, or with the last failure"):
    ActorSystem.scoped("town", listener = _ => ()):
      def shop(failing: Int) = spawn(
        Behavior
          .setup[Reply[Int]]:
            var calls = 0
            Behavior.receive: reply =>
              calls += 1
              if calls <= failing then throw Broken("no price")
              reply ! calls
              Behavior.same
          .onMessageFailure { case _ => MessageFailure.Retry(2) }
          .supervised { case _ => Supervision.Resume },
        "shop"
      )
      assertEquals(shop(failing = 2).ask[Int](1.hour)(identity), 3)
      requireFailed(Try(shop(failing = 3).ask[Int](1.hour)(identity)), "shop")

  test("a parent sends a failed message to its child again, and replies to a failed ask"):
    ActorSystem.scoped("town", listener = _ => ()):
      val results = ConcurrentLinkedQueue[String]()
      val end = CountDownLatch(1)
      val parent = spawn(Behavior.setup[String]:
        var calls = 0
        val child = spawn(
          Behavior
            .receive[String]: text =>
              calls += 1
              if calls == 1 then throw Broken(text)
              results.add(text)
              end.countDown()
              Behavior.same
            .onMessageFailure { case _ => MessageFailure.ToParent }
            .supervised { case _ => Supervision.Resume }
        )
        Behavior
          .receive[String]: text =>
            child ! text
            Behavior.same
          .onSignal { case Signal.MessageFailed(child, message, _) =>
            child ! message // without a cast
            Behavior.same
          })
      parent ! "an order"
      assert(end.await(1, TimeUnit.MINUTES))
      assertEquals(results.asScala.toList, List("an order"))

      val asked = spawn(Behavior.setup[Reply[Int]]:
        val child = spawn(
          broken
            .onMessageFailure { case _ => MessageFailure.ToParent }
            .supervised { case _ => Supervision.Resume }
        )
        Behavior
          .receive[Reply[Int]]: reply =>
            child ! reply
            Behavior.same
          .onSignal { case Signal.MessageFailed(_, reply: Reply[Int @unchecked], _) =>
            reply ! 7
            Behavior.same
          })
      assertEquals(asked.ask[Int](1.minute)(identity), 7)

  test("a behavior that a handler returns with the same supervision keeps its restart count"):
    ActorSystem.scoped("town", listener = _ => ()):
      val starts = ConcurrentLinkedQueue[Int]()
      def counting(n: Int): Behavior[Int] = Behavior
        .setup[Int]:
          starts.add(n)
          Behavior.receive: message =>
            if message < 0 then throw Broken("negative")
            counting(n + 1)
        .supervised { case _ => Supervision.Restart(limit = 2, within = 1.hour) }
      val actor = spawn(counting(0))
      for _ <- 1 to 3 do
        actor ! 1
        actor ! -1
      Await.result(actor.whenStopped, 1.minute)
      assertEquals(starts.asScala.toList, List(0, 1, 1, 2, 2, 3))

  test("the log has a stack trace of a failed message, and none while it is handled again"):
    val records = ConcurrentLinkedQueue[LogRecord]()
    val handler = new Handler:
      def publish(record: LogRecord): Unit =
        if record.getLevel == Level.WARNING then records.add(record): Unit
      def flush(): Unit = ()
      def close(): Unit = ()
    val logger = Logger.getLogger("undercroft.actor").nn
    logger.setUseParentHandlers(false)
    logger.addHandler(handler)
    try
      ActorSystem.scoped("town"):
        val shop = spawn(
          broken
            .onMessageFailure { case _ => MessageFailure.Retry(3) }
            .supervised { case _ => Supervision.Resume },
          "shop"
        )
        requireFailed(Try(shop.ask[Int](1.hour)(identity)), "shop")
    finally
      logger.removeHandler(handler)
      logger.setUseParentHandlers(true)
    val lines = records.asScala.toList.filter(_.getMessage.nn.startsWith("shop failed: Resume"))
    assertEquals(lines.map(_.getThrown == null), List(true, true, true, false), s"$lines")
    assert(lines.head.getMessage.nn.contains("no price"), lines.head.getMessage)
end FailedAskTest

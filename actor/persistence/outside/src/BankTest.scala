package outside.actor.persistence

import java.util.concurrent.{CountDownLatch, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger
import scala.concurrent.Await
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*
import scala.util.Using
import undercroft.actor.*
import undercroft.actor.persistence.*
import undercroft.file.format.Durability
import undercroft.struct.Struct

/** Persistent actors over files. */
class BankTest extends BankSuite:
  import Command.*

  test("an account has its balance after the journal was opened again"):
    inFolder: folder =>
      withJournal(folder): journal =>
        withSystem:
          val account = spawn(Bank.account(journal, 7))
          assertEquals(account.deposit(100), "balance 100")
          assertEquals(account.withdraw(30), "balance 70")
          assertEquals(account.withdraw(71), "only 70")
          assertEquals(account.both(5), "movements 4")
        assertEquals(journal.size, 1L)
      withJournal(folder): journal =>
        assertEquals(journal.size, 1L)
        withSystem:
          val account = spawn(Bank.account(journal, 7))
          assertEquals(account.balance, 70L)
          assertEquals(account.deposit(1), "balance 71")
          assertEquals(spawn(Bank.account(journal, 8)).balance, 0L)

  test("the events that were stored before a fatal error of their system are recovered"):
    inFolder: folder =>
      withJournal(folder): journal =>
        val system = ActorSystem("bank", 2, _ => ())
        val account = spawn(Bank.account(journal, 7))(using system)
        assertEquals(account.deposit(100), "balance 100")
        spawn(Behavior.receive[Int](_ => throw OutOfMemoryError("planted")))(using system) ! 1
        intercept[SystemFailedException](Await.result(system.whenStopped, 1.minute)): Unit
      withJournal(folder): journal =>
        withSystem(assertEquals(spawn(Bank.account(journal, 7)).balance, 100L))

  test("a fatal error of a journal ends the system; the events stored before are recovered"):
    inFolder: folder =>
      def scale(journal: Journal[Load, Long]): Behavior[(Long, ActorRef[Long])] =
        Persistent[(Long, ActorRef[Long]), Load, Long](journal, 1, 0L)(
          command =
            (_, request) => Effect.persist(Load(request._1)).thenReply(request._2)(sum => sum),
          event = (sum, load) => sum + load.kilos
        )
      Using.resource(Journal.open[Load, Long](folder, Durability.VOLATILE)): journal =>
        val system = ActorSystem("mill", 2, _ => ())
        val ref = spawn(scale(journal), "scale")(using system)
        assertEquals(ref.ask[Long](1.minute)(to => (5L, to)), 5L)
        val lost = ref.askAsync[Long](1.hour)(to => (Load.TooHeavy, to))
        val end = intercept[SystemFailedException](Await.result(lost, 1.minute))
        val reason = "java.lang.OutOfMemoryError: planted, in the journal of the actor scale"
        assert(end.getMessage.contains(reason), end.getMessage)
        intercept[SystemFailedException](Await.result(system.whenStopped, 1.minute)): Unit
      Using.resource(Journal.open[Load, Long](folder, Durability.VOLATILE)): journal =>
        withSystem:
          val ref = spawn(scale(journal), "scale")
          assertEquals(ref.ask[Long](1.minute)(to => (1L, to)), 6L)

  private val executor =
    java.util.concurrent.Executors.newFixedThreadPool(2, Thread.ofPlatform.daemon.factory)

  for (run, name) <- Run.standard.map(run => (run, s"$run")) :+ (Run.On(executor), "On") do
    test(s"accounts store and recover with run $name"):
      inFolder: folder =>
        for round <- 1 to 2 do
          withJournal(folder): journal =>
            withSystem:
              val accounts = Vector.tabulate(20)(i => spawn(Bank.account(journal, i), run = run))
              for account <- accounts; n <- 1 to 25 do account.deposit(n)
              for account <- accounts do assertEquals(account.balance, round * 325L)

  test("commands that arrive while events are stored are handled in their order"):
    inFolder: folder =>
      withJournal(folder): journal =>
        withSystem:
          val answers = CountDownLatch(1000)
          val replies = java.util.concurrent.ConcurrentLinkedQueue[String]()
          val listener = spawn(Behavior.receive[String] { reply =>
            replies.add(reply)
            answers.countDown()
            Behavior.same
          })
          val account = spawn(Bank.account(journal, 1))
          for n <- 1 to 1000 do account ! Deposit(1, listener)
          val isDone = answers.await(1, TimeUnit.MINUTES)
          assert(isDone)
          assertEquals(replies.toArray.toList, (1 to 1000).map(n => s"balance $n").toList)

  test("priority commands do not change the order of the others"):
    inFolder: folder =>
      withJournal(folder): journal =>
        withSystem:
          val answers = CountDownLatch(440)
          val replies = java.util.concurrent.ConcurrentLinkedQueue[Long]()
          val listener = spawn(Behavior.receive[Long] { reply =>
            replies.add(reply)
            answers.countDown()
            Behavior.same
          })
          val account = spawn(
            Persistent(journal, 1, Account(0, 0))(
              command = (_: Account, n: Long) =>
                Effect.persist(Movement.Deposited(n)).thenRun(_ => listener ! n),
              event = Bank.applied
            )
          )
          for n <- 1L to 400L do
            account ! n
            if n % 10 == 0 then account.tellPriority(1000 + n)
          val isDone = answers.await(1, TimeUnit.MINUTES)
          assert(isDone)
          val numbers = replies.asScala.toList
          assertEquals(numbers.filter(_ <= 400), (1L to 400L).toList)
          assertEquals(numbers.size, 440)

  test("a command beyond the limit of the stash is a dead letter"):
    inFolder: folder =>
      withJournal(folder): journal =>
        withSystem:
          val go = CountDownLatch(1)
          val account = spawn(
            Bank.account(journal, 1, stashLimit = 3, recovered = _ => go.await()),
            run = Run.Thread
          )
          val replies = AtomicInteger()
          val listener = spawn(Behavior.receive[String] { _ =>
            replies.incrementAndGet()
            Behavior.same
          })
          for n <- 1 to 100 do account ! Deposit(n, listener)
          go.countDown()
          until("each command is answered or dead")(replies.get + deadLetters.size == 100)
          val lost = deadLetters.collect { case Deposit(n, _) => n }
          assert(lost.nonEmpty)
          assertEquals(account.balance + lost.sum, 5050L)

  test("a second actor with the same persistence id is refused until the first has stopped"):
    inFolder: folder =>
      withJournal(folder): journal =>
        withSystem:
          val first = spawn(Bank.account(journal, 7), "first")
          assertEquals(first.deposit(5), "balance 5")
          val second = spawn(Bank.account(journal, 7), "second")
          intercept[AskTargetStoppedException](second.balance): Unit
          val error = failures.head.asInstanceOf[JournalException]
          assertEquals(error.kind, JournalException.Kind.IdInUse)
          assert(error.getMessage.contains("persistence id 7 is in use by the actor first"), error)
          assertEquals(first.deposit(5), "balance 10")
          assertEquals(first.close(), "closed")
          until("it has stopped")(first.isStopped)
          assertEquals(spawn(Bank.account(journal, 7)).balance, 10L)

  test("a restart recovers the state, and waiting commands are handled afterwards"):
    inFolder: folder =>
      withJournal(folder): journal =>
        withSystem:
          val recovered = java.util.concurrent.ConcurrentLinkedQueue[Account]()
          val account = spawn(
            Bank
              .account(journal, 7, recovered = account => recovered.add(account): Unit)
              .supervised { case _: IllegalStateException => Supervision.Restart(limit = 100) }
          )
          val listener = spawn(Behavior.ignore[String])
          for n <- 1 to 50 do
            account ! Deposit(1, listener)
            if n % 10 == 0 then account ! Fail
            if n % 25 == 0 then account ! FailAfterwards(1)
          assertEquals(account.balance, 52L)
          assertEquals(recovered.size, 1 + 5 + 2)

  test("a handler that fails and is resumed changes nothing, and later commands are handled"):
    inFolder: folder =>
      withJournal(folder): journal =>
        withSystem:
          val account = spawn(
            Bank.account(journal, 7).supervised { case _: IllegalStateException =>
              Supervision.Resume
            }
          )
          val listener = spawn(Behavior.ignore[String])
          for n <- 1 to 50 do
            account ! Deposit(1, listener)
            account ! Fail
            account ! Poison(listener)
          assertEquals(account.balance, 50L)
          assertEquals(failures.size, 100)
      withJournal(folder)(journal =>
        withSystem(assertEquals(spawn(Bank.account(journal, 7)).balance, 50L))
      )

  test("an event handler that fails in a recovery stops the actor, and the error names the event"):
    inFolder: folder =>
      withJournal(folder)(journal => withSystem(spawn(Bank.account(journal, 7)).deposit(3)))
      withJournal(folder): journal =>
        withSystem:
          val behavior = Persistent(journal, 7, Account(0, 0))(
            command = (_: Account, _: Command) => Effect.none,
            event = (_, _) => throw IllegalStateException("unknown event")
          )
          val account = spawn(behavior)
          intercept[AskException](account.balance): Unit
          val error = failures.head.asInstanceOf[JournalException]
          assertEquals(error.kind, JournalException.Kind.Replay)
          assert(error.getMessage.contains("event 1 of the persistence id 7"), error.getMessage)

  test("a command after the journal was closed fails, and its message says so"):
    inFolder: folder =>
      val journal = Bank.open(folder)
      withSystem:
        val account = spawn(Bank.account(journal, 7))
        assertEquals(account.deposit(5), "balance 5")
        journal.close()
        journal.close()
        assertEquals(account.deposit(5), "Closed")
        assertEquals(account.balance, 5L)
        intercept[AskException](account.withdraw(1)): Unit
        val error = failures.head.asInstanceOf[JournalException]
        assertEquals(error.kind, JournalException.Kind.Closed)

  test("an effect outside a command handler does not compile, and the error states the cure"):
    val errors = compileErrors("val effect: Effect[Long, Long] = Effect.persist(1L)")
    assert(errors.contains("(using Effects[Event, State])"), errors)

  test("events with a reference into memory do not compile"):
    val errors = compileErrors("Journal.open[Linked, Account](java.nio.file.Path.of(\"x\"))")
    assert(errors.contains("Linked cannot be in a file: `next` is a Ref"), errors)

  test("wrong parameters are refused with the allowed range"):
    val journal = Journal.inMemory[Movement, Account]()
    val messages = List[() => Any](
      () => Bank.account(journal, 1, snapshotEvery = -1),
      () => Bank.account(journal, 1, stashLimit = 0),
      () => inFolder(folder => Bank.open(folder, segmentBytes = 10)),
      () => Journal.inMemory[Movement, Account](latency = -1.second)
    ).map(wrong => intercept[IllegalArgumentException](wrong(): Unit).getMessage)
    assertEquals(
      messages,
      List(
        "snapshotEvery must be at least 0, but is -1",
        "stashLimit must be from 1 to 65536, but is 0",
        "segmentBytes must be from 65536 to 1073741824, but is 10",
        "latency must be at least 0, but is -1 seconds"
      )
    )

  test("more events than a command may store are refused, and nothing is stored"):
    inFolder: folder =>
      withJournal(folder): journal =>
        withSystem:
          val account = spawn(
            Persistent(journal, 1, Account(0, 0))(
              command = (_: Account, command: (Int, ActorRef[Long])) =>
                Effect
                  .persistAll(Vector.fill(command._1)(Movement.Deposited(1)))
                  .thenReply(command._2)(account => account.balance),
              event = Bank.applied
            ).supervised { case _: IllegalArgumentException => Supervision.Resume }
          )
          def add(count: Int) = account.ask[Long](1.minute)(to => (count, to))
          assertEquals(add(1000), 1000L)
          intercept[AskFailedException](
            account.ask[Long](1.minute)(to => (1001, to))
          ): Unit
          assertEquals(add(0), 1000L)
          assertEquals(
            failures.head.getMessage,
            "a command may store at most 1000 events, but has 1001"
          )
end BankTest

/** An event with a reference, which has no meaning in another process. */
final case class Linked(amount: Long, next: undercroft.struct.Ref[Account])
    derives undercroft.struct.Struct

/** An event for which there is no memory if it is too heavy. */
final class Load(val kilos: Long)

object Load:
  val TooHeavy = 1_000_000L

  given Struct.StoredAs[Load, Long] = Struct.storedAs[Load, Long] { load =>
    if load.kilos == TooHeavy then throw OutOfMemoryError("planted")
    load.kilos
  }(Load(_))
end Load

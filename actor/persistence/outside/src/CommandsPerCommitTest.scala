package outside.actor.persistence

import java.util.concurrent.ConcurrentLinkedQueue
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*
import scala.util.{Random, Using}
import undercroft.actor.*
import undercroft.actor.persistence.*
import undercroft.actor.testkit.*
import undercroft.struct.*

/** Commands whose events are stored with one commit have the same outcome as commands whose events
  * are stored alone.
  */
class CommandsPerCommitTest extends BankSuite:
  import Command.*

  private val Latency = 5.millis

  /** The number of commits, by the time that a hundred commands take which wait together. */
  private def commitsOf(commandsPerCommit: Int): Long =
    var commits = 0L
    simulate(seeds = 1):
      val journal = Journal.inMemory[Movement, Account](Latency)
      val account = spawn(Bank.account(journal, 7, commandsPerCommit = commandsPerCommit))
      simulation.advance(1.second) // it recovers
      val probe = Probe[String]()
      val from = simulation.now
      for _ <- 1 to 100 do account ! Deposit(1, probe.ref)
      while probe.received.size < 100 do simulation.advance(1.millis)
      commits = (simulation.now - from).toMillis / Latency.toMillis // a step takes some time, too
      assertEquals(probe.received, (1 to 100).map(n => s"balance $n").toVector)
      assertEquals(journal.events(7).size, 100)
    commits

  test("a hundred commands that wait are stored with as many commits as the limit requires"):
    // The first command is alone, because no other one waits when it is handled.
    assertEquals(List(1, 2, 11, 99, 1000).map(commitsOf), List(100L, 51L, 10L, 2L, 2L))

  /** Random commands, and what they caused: all replies in their order, events and snapshots. */
  private def outcome(
      seed: Long,
      commandsPerCommit: Int,
      latency: FiniteDuration,
      decision: Supervision
  ): (Vector[String], Vector[Movement], Vector[Long], Vector[String]) =
    var result = (Vector.empty[String], Vector.empty[Movement], Vector.empty[Long], Vector(""))
    simulate(seeds = 1):
      val random = Random(seed)
      val journal = Journal.inMemory[Movement, Account](latency)
      val (probe, balances) = (Probe[String](), Probe[Long]())
      val account = spawn(
        Bank
          .account(journal, 7, snapshotEvery = 5, commandsPerCommit = commandsPerCommit)
          .supervised { case _: IllegalStateException => decision }
      )
      for _ <- 1 to 4 do
        for _ <- 0 to random.nextInt(40) do
          account ! (random.nextInt(16) match
            case 0     => Fail
            case 1     => FailAfterwards(random.nextInt(9).toLong)
            case 2     => Poison(probe.ref)
            case 3     => Both(random.nextInt(9).toLong, probe.ref)
            case 4 | 5 => Balance(balances.ref)
            case 6 | 7 => Withdraw(random.nextInt(30).toLong, probe.ref)
            case _     => Deposit(random.nextInt(9).toLong, probe.ref))
        simulation.advance(random.nextInt(20).millis)
      if random.nextBoolean() then account ! Close(probe.ref)
      for _ <- 0 to random.nextInt(5) do account ! Deposit(1, probe.ref)
      simulation.advance(10.seconds)
      val failures = simulation.events.collect { case ActorEvent.Failed(_, cause, _) => s"$cause" }
      result = (probe.received, journal.events(7), balances.received, failures)
      assert(simulation.system.observe.audit.isExact, s"${simulation.system.observe.audit}")
    result
  end outcome

  for
    decision <- List(Supervision.Resume, Supervision.Restart(100, 1.hour))
    latency <- List(0.millis, Latency)
  do
    test(s"random commands have the same outcome for each limit ($decision, $latency)"):
      for seed <- 1 to 40 do
        val alone = outcome(seed, 1, latency, decision)
        for commandsPerCommit <- List(2, 7, 1000) do
          assertEquals(
            outcome(seed, commandsPerCommit, latency, decision),
            alone,
            s"seed $seed, $commandsPerCommit commands"
          )

  test("event numbers and states are those of each command, and actions run in order"):
    simulate(seeds = 50):
      val journal = Journal.inMemory[Long, Long](Latency)
      val probe = Probe[String]()
      val counter = spawn(
        Persistent[Long, Long, Long](journal, 1, 0L, commandsPerCommit = 10)(
          command = (sum, n) =>
            val decided = s"$n: $sum after $eventNumber"
            if n % 4 == 0 then Effect.none.thenRun(now => probe.ref ! s"$decided, $now")
            else
              Effect
                .persistAll(List.fill(n.toInt)(1L))
                .thenRun(now => probe.ref ! s"$decided, $now after $eventNumber")
          ,
          event = (sum, one) =>
            assertEquals(eventNumber, sum + one)
            sum + one
        )
      )
      for n <- 1L to 40L do counter ! n
      simulation.advance(1.second)
      var sum = 0L
      val expected =
        for n <- 1L to 40L yield
          val before = sum
          if n % 4 == 0 then s"$n: $before after $before, $before"
          else
            sum += n
            s"$n: $before after $before, $sum after $sum"
      assertEquals(probe.received, expected.toVector)

  test("commands with more than a thousand events together need several commits"):
    simulate(seeds = 5):
      val journal = Journal.inMemory[Long, Long](Latency)
      val probe = Probe[Long]()
      val counter = spawn(
        Persistent[Int, Long, Long](journal, 1, 0L, commandsPerCommit = 1000)(
          command = (_, n) =>
            Effect.persistAll(List.fill(n)(1L)).thenReply(probe.ref)(sum => sum),
          event = _ + _
        )
      )
      for n <- List(1, 600, 400, 1, 1000, 999, 2) do counter ! n
      simulation.advance(1.second)
      assertEquals(probe.received, Vector(1L, 601L, 1001L, 1002L, 2002L, 3001L, 3003L))

  test("if a commit fails, each of its commands handles the failure, and the state is unchanged"):
    simulate(seeds = 100):
      val journal = Journal.inMemory[Movement, Account](Latency)
      val probe = Probe[String]()
      val account = spawn(Bank.account(journal, 7, commandsPerCommit = 8))
      account ! Deposit(5, probe.ref)
      simulation.advance(100.millis)
      journal.failAppends(Some(JournalException.Kind.NoSpace))
      for n <- 1 to 20 do account ! Deposit(n, probe.ref)
      account ! Withdraw(6, probe.ref)
      simulation.advance(1.second)
      journal.failAppends(None)
      for n <- 1 to 20 do account ! Deposit(1, probe.ref)
      simulation.advance(1.second)
      val afterwards = (6 to 25).map(n => s"balance $n")
      assertEquals(
        probe.received,
        ("balance 5" +: Vector.fill(20)("NoSpace")) ++ ("only 5" +: afterwards)
      )
      assertEquals(journal.events(7).size, 21)

  for decision <- List(Supervision.Resume, Supervision.Restart(100, 1.hour)) do
    test(s"commands of a commit that fails are retried in their order ($decision)"):
      simulate(seeds = 100):
        val journal = Journal.inMemory[Movement, Account](Latency)
        val probe = Probe[String]()
        var failures = 0
        val account = spawn(
          Bank
            .account(journal, 7, commandsPerCommit = 8)
            .onMessageFailure { case _: JournalException =>
              failures += 1
              if failures == 3 then journal.failAppends(None)
              MessageFailure.Retry(5)
            }
            .supervised { case _: JournalException => decision }
        )
        account ! Deposit(100, probe.ref)
        simulation.advance(100.millis)
        journal.failAppends(Some(JournalException.Kind.NoSpace))
        for n <- 1 to 20 do account ! Withdraw(1, probe.ref)
        simulation.advance(1.second)
        assertEquals(failures, 3)
        assertEquals(probe.received, (0 to 20).map(n => s"balance ${100 - n}").toVector)
        assertEquals(journal.events(7).size, 21)
  end for

  test("one event that cannot be encoded rejects its own command only"):
    given Struct.StoredAs[Even, Int] = Struct.storedAs[Even, Int](even =>
      if even.n % 100 == 50 then throw ArithmeticException(s"${even.n}") else even.n
    )(Even(_))
    final case class Seen(even: Even) derives Struct
    inFolder: folder =>
      Using.resource(Journal.open[Seen, Seen](folder)): journal =>
        withSystem:
          val answers = ConcurrentLinkedQueue[String]()
          val listener = spawn(Behavior.receive[String] { answer =>
            answers.add(answer): Unit
            Behavior.same
          })
          val actor = spawn(
            Persistent[Int, Seen, Seen](journal, 1, Seen(Even(1)), commandsPerCommit = 100)(
              command = (_, n) =>
                Effect
                  .persist(Seen(Even(n)))
                  .thenRun(_ => listener ! s"$n")
                  .onFailure(error => listener ! s"$n ${error.kind}"),
              event = (_, seen) => seen
            )
          )
          val expected = (1 to 500).map(n => if n % 100 == 50 then s"$n Rejected" else s"$n")
          for n <- 1 to 500 do actor ! n
          until("each command is answered")(answers.size == 500)
          assertEquals(answers.asScala.toVector, expected.toVector)
          assertEquals(
            journal.tagged(_ => true).map(stored => stored.event.even.n -> stored.number).toVector,
            (1 to 500).filter(_ % 100 != 50).zipWithIndex.map((n, i) => n -> (i + 1L)).toVector
          )

  for at <- List(2.millis, 7.millis) do
    test(s"an actor that restarts after $at decides no stored command again and replies to all"):
      simulate(seeds = 100):
        val journal = Journal.inMemory[Movement, Account](Latency)
        val probe = Probe[String]()
        val other = spawn(Behavior.receive[Unit](_ => Behavior.stopped))
        var isFirst = true
        val account = spawn(Behavior.setup[Command] {
          if isFirst then context.watch(other)
          isFirst = false
          Bank.account(journal, 7, commandsPerCommit = 50)
        }.supervised { case _: DeathPactException => Supervision.Restart() })
        simulation.advance(100.millis)
        account ! Both(0, probe.ref)
        for n <- 1 to 20 do account ! Deposit(1, probe.ref)
        simulation.advance(at) // the second commit begins after 5 ms
        other ! ()
        simulation.advance(1.second)
        assertEquals(journal.events(7).size, 22)
        val deposits = (1 to 20).map(n => s"balance $n").toVector
        if at == 2.millis then assertEquals(probe.received, deposits)
        else assertEquals(probe.received, "movements 2" +: deposits)
        assert(simulation.system.observe.audit.isExact, s"${simulation.system.observe.audit}")
  end for

  test("asks of a commit end if the actor stops meanwhile, and its events are recovered"):
    simulate(seeds = 50):
      val journal = Journal.inMemory[Movement, Account](Latency)
      val other = spawn(Behavior.receive[Unit](_ => Behavior.stopped))
      val account = spawn(Behavior.setup[Command] {
        context.watch(other)
        Bank.account(journal, 7, commandsPerCommit = 50)
      })
      simulation.advance(100.millis)
      val answers = Probe[String]()
      spawn(Behavior.setup[scala.util.Try[String]] {
        for n <- 1 to 20 do
          context.pipeToSelf(account.askAsync[String](1.minute)(Deposit(n, _)))(identity)
        Behavior.receive: answer =>
          answers.ref ! answer.fold(_.getClass.getSimpleName, identity)
          Behavior.same
      }): Unit
      simulation.advance(7.millis)
      other ! ()
      simulation.advance(1.second)
      assertEquals(
        answers.received.sorted,
        ("balance 1" +: Vector.fill(19)("AskTargetStoppedException")).sorted
      )
      val probe = Probe[Long]()
      spawn(Bank.account(journal, 7)) ! Balance(probe.ref)
      simulation.advance(1.second)
      assertEquals(probe.received, Vector(210L))
      val dead = simulation.events.collect { case ActorEvent.DeadLetter(_, message, _) => message }
      assertEquals(dead, Vector())

  test("a failed action of a stored command is reported once, and fails its ask"):
    simulate(seeds = 50):
      val journal = Journal.inMemory[Long, Long](Latency)
      val probe = Probe[String]()
      val counter = spawn(
        Persistent[ActorRef[Long], Long, Long](journal, 1, 0L, commandsPerCommit = 10)(
          command = (_, to) =>
            Effect.persist(1L).thenRun { sum =>
              if sum == 4 then throw IllegalStateException("the action failed")
              to ! sum
            },
          event = _ + _
        ).onMessageFailure { case _: IllegalStateException => MessageFailure.Retry() }
          .supervised { case _: IllegalStateException => Supervision.Resume }
      )
      spawn(Behavior.setup[scala.util.Try[Long]] {
        for _ <- 1 to 8 do context.pipeToSelf(counter.askAsync[Long](1.minute)(to => to))(identity)
        Behavior.receive: answer =>
          probe.ref ! answer.fold(_.getClass.getSimpleName, sum => s"$sum")
          Behavior.same
      }): Unit
      simulation.advance(1.second)
      assertEquals(
        probe.received.sorted,
        Vector("1", "2", "3", "5", "6", "7", "8", "AskFailedException")
      )
      assertEquals(journal.events(1).size, 8)

  test("commands of an intercepted actor are stored alone, and the interceptor sees each once"):
    simulate(seeds = 20):
      val journal = Journal.inMemory[Movement, Account](Latency)
      val probe = Probe[String]()
      var seen = Vector.empty[Command]
      val interceptor = new BehaviorInterceptor[Command, Command]:
        def aroundReceive(
            command: Command,
            target: BehaviorInterceptor.Target[Command]
        ): Behavior[Command] =
          seen :+= command
          target.receive(command)
      val account =
        spawn(Behavior.intercept(interceptor)(Bank.account(journal, 7, commandsPerCommit = 10)))
      for n <- 1 to 20 do account ! Deposit(1, probe.ref)
      simulation.advance(20 * Latency - 1.milli)
      assertEquals(probe.received.size, 18) // the recovery takes as long as an append
      simulation.advance(1.second)
      assertEquals(probe.received, (1 to 20).map(n => s"balance $n").toVector)

  test("a wrong number of commands is refused with the allowed range"):
    val journal = Journal.inMemory[Movement, Account]()
    for commandsPerCommit <- List(0, 1001) do
      val error = intercept[IllegalArgumentException](
        Bank.account(journal, 1, commandsPerCommit = commandsPerCommit)
      )
      assertEquals(
        error.getMessage,
        s"commandsPerCommit must be from 1 to 1000, but is $commandsPerCommit"
      )
end CommandsPerCommitTest

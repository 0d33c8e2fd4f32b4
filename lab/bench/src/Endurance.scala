package undercroft.lab.bench

import java.util.concurrent.{CountDownLatch, ThreadLocalRandom, TimeUnit}
import java.util.concurrent.atomic.{AtomicInteger, AtomicLong, AtomicReferenceArray, LongAdder}
import scala.concurrent.duration.*
import undercroft.actor.*

/** The long forms of the short stress tests of actors. Each ends with a summary of the outcomes, or
  * with an error.
  *
  * `./mill lab.bench.runMain undercroft.lab.bench.Endurance L1 60`
  */
object Endurance:
  /** @param unit
    *   the things that `size` counts
    */
  final case class Scenario(
      name: String,
      title: String,
      unit: String,
      size: Int,
      run: Int => String
  )

  val scenarios: Seq[Scenario] = Seq(
    Scenario(
      "L1",
      "no message is lost while actors of all models spawn, send, fail, stop and move at random",
      "seconds",
      60,
      audited
    ),
    Scenario(
      "O1",
      "the messages of each of eight senders arrive in order",
      "messages",
      50_000_000,
      ordered
    ),
    Scenario(
      "O2",
      "the Terminated signal of a child that stops or fails arrives after its messages",
      "children",
      1_000_000,
      ended
    ),
    Scenario(
      "O3",
      "a message sent right after a spawn arrives",
      "children",
      1_000_000,
      spawned
    ),
    Scenario("F1", "a thousand actors run beside one that floods itself", "rounds", 200, fair),
    Scenario(
      "R2",
      "a message wakes a worker that is about to park",
      "messages",
      10_000_000,
      woken
    ),
    Scenario(
      "S2",
      "an actor that every tenth message fails is restarted",
      "messages",
      10_000_000,
      restarted
    ),
    Scenario(
      "K2",
      "a chain of actors, each the child of the previous one, stops from the first",
      "actors",
      1_000_000,
      deep
    )
  )

  def main(args: Array[String]): Unit =
    def isSize(word: String) = word.toIntOption.exists(_ > 0)
    val selection = scenarios.filter(entry => args.headOption.contains(entry.name))
    if selection.isEmpty || args.length > 2 || !args.drop(1).forall(isSize) then
      println("Endurance SCENARIO [SIZE]")
      for entry <- scenarios do
        println(s"  ${entry.name}  ${entry.title}; SIZE in ${entry.unit}, default ${entry.size}")
      System.exit(2)
    for entry <- selection do println(entry.run(args.lift(1).fold(entry.size)(_.toInt)))

  private val patience = 5.minutes

  private def check(holds: Boolean, otherwise: => String): Unit =
    if !holds then throw IllegalStateException(otherwise)

  /** Runs with a system, and checks in the end that no message is missing. */
  private def onSystem(workers: Int = Runtime.getRuntime.availableProcessors)(
      body: ActorSystem ?=> String
  ): String =
    val system = ActorSystem("endurance", workers, _ => ())
    val words =
      try body(using system)
      finally check(system.shutdown(patience, patience), s"no end: ${system.observe.audit}")
    check(
      system.observe.audit.isExact && system.observe.audit.waiting == 0,
      s"not exact: ${system.observe.audit}"
    )
    words

  private def quiet(using system: ActorSystem): Audit =
    check(system.awaitQuiescence(patience), s"not quiet: ${system.observe.audit}")
    system.observe.audit

  private def audited(seconds: Int): String = onSystem():
    val system = summon[ActorSystem]
    val actors = 10_000
    val handled = LongAdder()
    val until = System.nanoTime + seconds * 1_000_000_000L
    val refs = AtomicReferenceArray[ActorRef[Int]](actors)
    def life: Behavior[Int] = Behavior
      .receive[Int] { _ =>
        val random = ThreadLocalRandom.current
        if System.nanoTime < until then
          for _ <- 0 to (if random.nextInt(10) == 0 then 1 else 0) do
            refs.get(random.nextInt(actors)) ! 1
        for _ <- 0 until random.nextInt(64) do Thread.onSpinWait()
        random.nextInt(1000) match
          case 0 => throw Exception("at random")
          case 1 =>
            handled.increment()
            refs.set(random.nextInt(actors), begun())
            Behavior.stopped
          case 2 =>
            handled.increment()
            life
          case _ =>
            handled.increment()
            Behavior.same
      }
      .supervised { case _ => Supervision.Restart(limit = Int.MaxValue, within = 1.second) }
    def begun(): ActorRef[Int] =
      // One of a hundred on each model except the workers, which have the rest.
      val dice = ThreadLocalRandom.current.nextInt(100)
      val run = if dice < Run.standard.length then Run.standard(dice) else Run.Workers
      spawn(life, "", run, Mailbox(64, Overflow.DropNewest))(using system)
    for i <- 0 until actors do refs.set(i, begun())
    while System.nanoTime < until do
      refs.get(ThreadLocalRandom.current.nextInt(actors)) ! 1
      TimeUnit.MICROSECONDS.sleep(100)
    val audit = quiet
    check(audit.isExact && audit.waiting == 0, s"not exact: $audit")
    check(audit.handled == handled.sum, s"${handled.sum} were handled, and not as in $audit")
    s"${audit.sent} sent = ${audit.handled} handled + ${audit.failed} failed + " +
      s"${audit.deadLetterCount} dead; ${audit.restarts} restarts, ${audit.actors} actors alive"

  private def ordered(messages: Int): String = onSystem():
    val senders = 8
    val perSender = messages / senders
    val misplaced = AtomicLong()
    final case class Numbered(sender: Int, number: Int)
    val receiver = spawn(
      Behavior.setup[Numbered]:
        val last = new Array[Int](senders)
        Behavior.receive: message =>
          if message.number != last(message.sender) + 1 then misplaced.incrementAndGet(): Unit
          last(message.sender) = message.number
          Behavior.same
      ,
      mailbox = Mailbox(overflow = Overflow.Backpressure)
    )
    def send(sender: Int): Unit = for n <- 1 to perSender do receiver ! Numbered(sender, n)
    for sender <- 0 until 4 do
      spawn(Behavior.setup[Int]:
        Behavior.receive: n =>
          receiver ! Numbered(sender, n)
          for _ <- 0 until (n * 31) % 64 do Thread.onSpinWait()
          if n < perSender then self ! n + 1
          Behavior.same) ! 1
    val threads = (4 until senders).map: sender =>
      val body: Runnable = () => send(sender)
      if sender < 6 then Thread.ofPlatform.start(body) else Thread.ofVirtual.start(body)
    threads.foreach(_.nn.join())
    val audit = quiet
    check(misplaced.get == 0, s"${misplaced.get} messages came out of order")
    check(audit.deadLetters.isEmpty, s"lost: $audit")
    s"${perSender * senders} messages of $senders senders, all in their order"

  private def ended(children: Int): String = onSystem():
    val wrong = AtomicLong()
    val rounds = AtomicInteger()
    spawn(Behavior.setup[Int]:
      var (received, round) = (0, 0)
      def child(): Unit =
        val parent = self[Int]
        val worker = spawn(Behavior.receive[Int] { n =>
          for i <- 1 to n do parent ! i
          if round % 2 == 0 then Behavior.stopped else throw Exception("broken")
        })
        context[Int].watch(worker)
        worker ! round % 8
      child()
      Behavior
        .receive[Int] { n =>
          received += 1
          if n != received then wrong.incrementAndGet(): Unit
          Behavior.same
        }
        .onSignal { case Signal.Terminated(_, cause) =>
          if received != round % 8 || cause.isDefined != (round % 2 == 1) then
            wrong.incrementAndGet(): Unit
          received = 0
          round += 1
          rounds.set(round)
          if round < children then child()
          Behavior.same
        }): Unit
    val _ = quiet
    check(wrong.get == 0 && rounds.get == children, s"${wrong.get} wrong of ${rounds.get} rounds")
    s"$children children ended after their last message"

  private def spawned(children: Int): String = onSystem():
    val sum = LongAdder()
    val responder = spawn(Behavior.receive[ActorRef[Int]] { ref =>
      ref ! 2
      Behavior.same
    })
    spawn(Behavior.setup[Int]:
      Behavior.receive: n =>
        val child = spawn(Behavior.receive[Int] { m =>
          sum.add(m)
          if m == 2 then Behavior.stopped else Behavior.same
        })
        child ! 1
        responder ! child
        if n < children then self[Int] ! n + 1
        Behavior.same) ! 1
    val _ = quiet
    check(sum.sum == 3L * children, s"${sum.sum} arrived of ${3L * children}")
    s"$children children got both of their messages"

  private def fair(rounds: Int): String = onSystem(workers = 1):
    val polite = 1000
    @volatile var isFlooding = true
    spawn(Behavior.setup[Int]:
      Behavior.receive: n =>
        if isFlooding then self[Int] ! n
        Behavior.same) ! 1
    val waits = new Array[Long](polite * rounds)
    for round <- 0 until rounds do
      val latch = CountDownLatch(polite)
      for i <- 0 until polite do
        val at = round * polite + i
        val sent = System.nanoTime
        spawn(Behavior.receive[Int] { _ =>
          waits(at) = System.nanoTime - sent
          latch.countDown()
          Behavior.stopped
        }) ! 1
      check(latch.await(5, TimeUnit.MINUTES), "polite actors wait for ever")
    isFlooding = false
    java.util.Arrays.sort(waits)
    val p999 = waits((waits.length * 0.999).toInt) / 1e6
    check(p999 < 50, s"p99.9 of the waits is $p999 ms")
    f"${waits.length}%d waits beside a flooder: p99.9 $p999%.2f ms, ${waits.last / 1e6}%.2f at most"

  private def woken(messages: Int): String = onSystem():
    @volatile var answered = 0
    val actor = spawn(Behavior.receive[Int] { n =>
      answered = n
      Behavior.same
    })
    for n <- 1 to messages do
      actor ! n
      // The pause varies, so that a message arrives at every step of the worker towards idle.
      for _ <- 0 until n % 997 do Thread.onSpinWait()
      val until = System.nanoTime + patience.toNanos
      while answered != n && System.nanoTime < until do Thread.onSpinWait()
      check(answered == n, s"message $n waits for ever")
    s"$messages messages, each of which woke the worker in time"

  private def restarted(messages: Int): String = onSystem():
    var handled = 0L
    val actor = spawn(
      Behavior
        .receive[Int] { n =>
          if n % 10 == 0 then throw Tenth
          handled += 1
          Behavior.same
        }
        .supervised { case _: Tenth.type =>
          Supervision.Restart(limit = Int.MaxValue, within = 1.second)
        },
      mailbox = Mailbox(overflow = Overflow.Backpressure)
    )
    val from = System.nanoTime
    for n <- 1 to messages do actor ! n
    val audit = quiet
    val nanos = (System.nanoTime - from).toDouble / messages
    check(audit.handled == handled && handled + audit.failed == messages, s"$handled, and $audit")
    f"$messages messages = $handled handled + ${audit.failed} failed, $nanos%.0f ns each"

  private object Tenth extends RuntimeException("tenth", null, false, false)

  private def deep(depth: Int): String = onSystem():
    val (starts, stopped, wrong) = (AtomicInteger(), AtomicInteger(), AtomicInteger())
    val latch = CountDownLatch(1)
    def link(n: Int): Behavior[Int] = Behavior.setup[Int]:
      starts.incrementAndGet(): Unit
      if n > 1 then spawn(link(n - 1)): Unit
      Behavior.receive[Int](_ => Behavior.stopped).onSignal { case Signal.PostStop =>
        if stopped.incrementAndGet() != n then wrong.incrementAndGet(): Unit
        if n == depth then latch.countDown()
        Behavior.same
      }
    val root = spawn(link(depth))
    val _ = quiet
    check(starts.get == depth, s"${starts.get} began of $depth")
    val from = System.nanoTime
    root ! 1
    check(latch.await(5, TimeUnit.MINUTES), s"${stopped.get} stopped of $depth")
    val millis = (System.nanoTime - from) / 1_000_000
    check(wrong.get == 0, s"${wrong.get} parents stopped before their children")
    s"$depth actors stopped in $millis ms, children before their parents"
end Endurance

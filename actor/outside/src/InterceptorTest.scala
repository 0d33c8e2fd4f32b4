package outside.actor

import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicReference
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*
import undercroft.actor.*
import undercroft.struct.Struct

/** Interceptors around behaviors. */
class InterceptorTest extends undercroft.tools.Suite:
  private final class Log:
    private val lines = ConcurrentLinkedQueue[String]()
    def add(line: Any): Unit = lines.add(line.toString): Unit
    def all: List[String] = lines.asScala.toList

  /** Logs what it sees; drops "drop", and rejects "reject". */
  private final class Logging(log: Log) extends BehaviorInterceptor[String, String]:
    private var count = 0
    def aroundReceive(
        message: String,
        target: BehaviorInterceptor.Target[String]
    ): Behavior[String] =
      count += 1
      log.add(s"$count:$message")
      message match
        case "drop"   => Behavior.same
        case "reject" => Behavior.unhandled
        case "twice" =>
          target.receive("once"): Unit
          target.receive("again")
        case "null result"  => null
        case "null message" => target.receive(null)
        case "broken"       => throw IllegalStateException("a broken interceptor")
        case "end"          => Behavior.stopped
        case _              => target.receive(message)
    override def aroundSignal(
        signal: Signal,
        target: BehaviorInterceptor.Target[String]
    ): Behavior[String] =
      log.add(signal match
        case Signal.Terminated(ref, _) => s"terminated ${ref.name}"
        case signal                    => signal.toString)
      target.signal(signal)
  end Logging

  private def noting(log: Log, name: String = "inner"): Behavior[String] = Behavior.receive:
    case "fail"   => throw IllegalArgumentException("a failure")
    case "second" => noting(log, "second")
    case "setup" =>
      Behavior.setup:
        log.add(s"setup of ${context.self.name}")
        noting(log, "set up")
    case "stop" => Behavior.stopped
    case "supervised" =>
      noting(log, "supervised").supervised { case _: IllegalArgumentException =>
        Supervision.Restart()
      }
    case message =>
      log.add(s"$name $message")
      Behavior.same

  /** Sends messages to an actor; returns the log, and the texts of dead letters and failures. */
  private def played(messages: String*)(
      behavior: Log => Behavior[String]
  )(using run: Run = Run.Workers): (List[String], List[String]) =
    val (log, events) = (Log(), Log())
    val system = ActorSystem(
      "interceptors",
      2,
      {
        case ActorEvent.DeadLetter(_, message, reason) => events.add(s"$message $reason")
        case ActorEvent.Failed(_, cause, decision) =>
          events.add(s"${cause.getMessage} $decision")
        case _ => ()
      }
    )
    val actor = spawn(behavior(log), "actor", run)(using system)
    for message <- messages do actor ! message
    assert(system.shutdown())
    assert(system.observe.audit.isExact, system.observe.audit.toString)
    (log.all, events.all)

  for run <- Run.standard do
    test(s"an interceptor on $run sees, drops, rejects, repeats and ends messages"):
      given Run = run
      val (log, events) = played("a", "drop", "reject", "twice", "end", "late"): log =>
        Behavior.intercept(Logging(log))(noting(log))
      assertEquals(
        log,
        List("1:a", "inner a", "2:drop", "3:reject", "4:twice", "inner once", "inner again") ++
          List("5:end", "PostStop")
      )
      assertEquals(events, List("reject Unhandled", "late Stopped"))

  test("an interceptor remains around the behaviors that follow the inner one"):
    val words = List("a", "second", "b", "setup", "c", "supervised", "d", "fail", "e")
    val (log, events) = played(words*): log =>
      Behavior.intercept(Logging(log))(noting(log))
    assertEquals(
      log,
      List("1:a", "inner a", "2:second", "3:b", "second b", "4:setup", "setup of actor", "5:c") ++
        List("set up c", "6:supervised", "7:d", "supervised d", "8:fail", "PreRestart", "9:e") ++
        List("supervised e", "PostStop")
    )
    assertEquals(events.map(_.takeWhile(_ != '(')), List("a failure Restart"))

  test("supervision inside an interceptor restarts the inner behavior and keeps the interceptor"):
    val (log, _) = played("second", "a", "fail", "b"): log =>
      Behavior.intercept(Logging(log)):
        noting(log).supervised { case _: IllegalArgumentException => Supervision.Restart() }
    assertEquals(
      log,
      List("1:second", "2:a", "second a", "3:fail", "PreRestart", "4:b", "inner b", "PostStop")
    )

  test("supervision around an interceptor creates it again at a restart"):
    val (log, _) = played("second", "a", "fail", "b"): log =>
      Behavior
        .intercept(Logging(log))(noting(log))
        .supervised { case _: IllegalArgumentException => Supervision.Restart() }
    assertEquals(
      log,
      List("1:second", "2:a", "second a", "3:fail", "PreRestart", "1:b", "inner b", "PostStop")
    )

  test("two actors with one intercepted behavior have an interceptor each"):
    val log = Log()
    ActorSystem.scoped("two"):
      val behavior = Behavior.intercept(Logging(log))(noting(log))
      for _ <- 1 to 2 do
        val actor = spawn(behavior, run = Run.Caller)
        actor ! "a"
    assertEquals(log.all.filter(_ == "1:a").size, 2)

  test("the outer one of two interceptors sees a message first"):
    val (log, _) = played("a", "second", "b"): log =>
      val inner = Behavior.intercept(Logging(log))(noting(log))
      Behavior.intercept(Upper(log))(inner)
    assertEquals(
      log,
      List("upper a", "1:A", "inner A", "upper second", "2:SECOND", "inner SECOND", "upper b") ++
        List("3:B", "inner B", "PostStop")
    )

  private final class Upper(log: Log) extends BehaviorInterceptor[String, String]:
    def aroundReceive(text: String, target: BehaviorInterceptor.Target[String]): Behavior[String] =
      log.add(s"upper $text")
      target.receive(text.toUpperCase)

  test("failures of an interceptor are failures of the actor, with the misuse in the message"):
    for
      (message, error) <- List(
        "broken" -> "a broken interceptor",
        "null result" -> "an interceptor of actor returned null",
        "null message" -> "an interceptor of actor passed a null message"
      )
    do
      val (_, events) = played(message)(log => Behavior.intercept(Logging(log))(noting(log)))
      assertEquals(events, List(s"$error Stop"))

  test("processes, same, unhandled and null cannot be intercepted, and the errors say so"):
    val interceptor = Logging(Log())
    def error(behavior: Behavior[String]) =
      intercept[Exception](Behavior.intercept(interceptor)(behavior)).getMessage
    assertEquals(
      error(Behavior.process(_ => ())),
      "a process cannot be intercepted: it takes its messages from its inbox"
    )
    assertEquals(error(Behavior.same), "Behavior.same cannot be intercepted")
    assertEquals(error(Behavior.unhandled), "Behavior.unhandled cannot be intercepted")
    assertEquals(error(null), "the behavior inside an interceptor is null")
    val nullInterceptor: BehaviorInterceptor[String, String] = null
    val (_, events) = played()(log => Behavior.intercept(nullInterceptor)(noting(log)))
    assertEquals(events, List("the interceptor of actor is null Stop"))
    val (_, setups) = played(): log =>
      Behavior.intercept(Logging(log))(Behavior.setup(Behavior.same))
    assertEquals(
      setups,
      List("the setup of actor ended in Behavior.same, which is not a behavior Stop")
    )

  test("a target used outside of a call of its interceptor throws"):
    val leaked = AtomicReference[BehaviorInterceptor.Target[String]]()
    final class Leaking extends BehaviorInterceptor[String, String]:
      def aroundReceive(text: String, target: BehaviorInterceptor.Target[String]) =
        leaked.set(target)
        Behavior.same
    val (_, events) = played("a")(_ => Behavior.intercept(Leaking())(Behavior.ignore[String]))
    assertEquals(events, Nil)
    val error = intercept[IllegalStateException](leaked.get.receive("b"))
    assertEquals(
      error.getMessage,
      s"the target of an interceptor of actor is used outside its turn, on ${Thread.currentThread.getName}"
    )
    val (_, inTurn) = played("a"): _ =>
      Behavior.intercept(Leaking()):
        Behavior.ignore[String].onSignal { case Signal.PostStop => leaked.get.receive("b") }
    assertEquals(inTurn, Nil) // the signal is a call of the interceptor, too

  // ---- a wider type; stash, timers, watch and asks inside of an interceptor

  enum Request derives CanEqual:
    case Hour(now: Int)
    case Order(item: String)
    case Orders(to: Reply[Vector[String]])
    case Open()

  private type Inner = Request.Order | Request.Orders | Request.Open

  private final class Opening(hours: Range) extends BehaviorInterceptor[Request, Inner]:
    private var hour = 0
    def aroundReceive(
        request: Request,
        shop: BehaviorInterceptor.Target[Inner]
    ): Behavior[Inner] = request match
      case Request.Hour(now)                             => hour = now; Behavior.same
      case order: Request.Order if !hours.contains(hour) => Behavior.unhandled
      case order: Request.Order                          => shop.receive(order)
      case orders: Request.Orders                        => shop.receive(orders)
      case open: Request.Open                            => shop.receive(open)

  /** Stashes the first order until a timer fires. */
  private def shop: Behavior[Inner] = Behavior.setup:
    var sold = Vector.empty[String]
    context.startSingleTimer("open", Request.Open(), 1.milli)
    def open: Behavior[Inner] = Behavior.receive:
      case Request.Order(item) => sold :+= item; Behavior.same
      case Request.Orders(to)  => to ! sold; Behavior.same
      case Request.Open()      => Behavior.unhandled
    Behavior.receive:
      case Request.Open() => context.unstashAll(); open
      case _              => context.stash(); Behavior.same

  test(
    "an actor accepts more messages than its intercepted behavior, which stashes and has timers"
  ):
    ActorSystem.scoped("shops", listener = _ => ()):
      val actor = spawn(Behavior.intercept(Opening(9 until 18))(shop))
      actor ! Request.Order("too early")
      actor ! Request.Hour(10)
      actor ! Request.Order("bread")
      actor ! Request.Order("cake")
      // The reply comes after the timer has opened the shop.
      assertEquals(actor.ask[Vector[String]](1.minute)(Request.Orders(_)), Vector("bread", "cake"))
      actor ! Request.Hour(20)
      actor ! Request.Order("too late")
      assertEquals(actor.ask[Vector[String]](1.minute)(Request.Orders(_)), Vector("bread", "cake"))

  test("an interceptor sees the end of a watched actor and may keep it from the behavior"):
    val log = Log()
    final class Silent extends BehaviorInterceptor[ActorRef[Int], ActorRef[Int]]:
      def aroundReceive(
          ref: ActorRef[Int],
          target: BehaviorInterceptor.Target[ActorRef[Int]]
      ): Behavior[ActorRef[Int]] = target.receive(ref)
      override def aroundSignal(
          signal: Signal,
          target: BehaviorInterceptor.Target[ActorRef[Int]]
      ): Behavior[ActorRef[Int]] = signal match
        case Signal.Terminated(ref, _) => log.add(ref.name); Behavior.same
        case _                         => target.signal(signal)
    ActorSystem.scoped("watchers"):
      val watcher = spawn(Behavior.intercept(Silent()):
        Behavior.setup[ActorRef[Int]]:
          Behavior.receive: ref =>
            context.watch(ref) // without a handler of signals, its end would be a failure
            Behavior.same)
      val actor = spawn(Behavior.receive[Int](_ => Behavior.stopped), "watched")
      watcher ! actor
      actor ! 1
      assert(summon[ActorSystem].awaitQuiescence(1.minute))
      assert(!watcher.isStopped)
      assertEquals(log.all, List("watched"))

  // ---- messages that are structs

  enum Hop derives Struct, CanEqual:
    case Token(left: Int, sum: Long)

  private final class Counting extends BehaviorInterceptor[Hop, Hop]:
    private var count = 0L
    def aroundReceive(hop: Hop, target: BehaviorInterceptor.Target[Hop]): Behavior[Hop] = hop match
      case Hop.Token(left, sum) =>
        count += 1
        target.receive(Hop.Token(left, sum + count))

  test("an intercepted actor gets struct messages, also if it becomes intercepted later"):
    val sums = ConcurrentLinkedQueue[Long]()
    ActorSystem.scoped("structs", workers = 1):
      def hopper(next: => ActorRef[Hop]): Behavior[Hop] = Behavior.receive:
        case Hop.Token(0, sum)    => sums.add(sum); Behavior.same
        case Hop.Token(left, sum) => next ! Hop.Token(left - 1, sum); Behavior.same
      def plainFirst(next: => ActorRef[Hop]): Behavior[Hop] = Behavior.receive:
        case Hop.Token(left, sum) =>
          next ! Hop.Token(left - 1, sum)
          Behavior.intercept(Counting())(hopper(next))
      lazy val first: ActorRef[Hop] = spawn(Behavior.intercept(Counting())(hopper(second)))
      lazy val second: ActorRef[Hop] = spawn(plainFirst(first))
      first ! Hop.Token(10, 0)
      assert(summon[ActorSystem].awaitQuiescence(1.minute))
    // The first one counts 1 to 6, the second one its messages 2 to 5 as 1 to 4.
    assertEquals(sums.asScala.toList, List(21L + 10L))
end InterceptorTest

package undercroft.lab.bench

import com.typesafe.config.ConfigFactory
import org.apache.pekko.actor.typed.*
import org.apache.pekko.actor.typed.scaladsl.{AskPattern, Behaviors}
import scala.concurrent.Await
import scala.concurrent.duration.*

/** Pekko Typed, with its defaults or with one thread. */
object Pekko:
  /** The messages of its root actor. */
  enum Root derives CanEqual:
    case Make[T](behavior: Behavior[T], props: Props, to: ActorRef[ActorRef[T]])
    case MakeMany[T](count: Int, behavior: Behavior[T], to: ActorRef[Int])

  def root: Behavior[Root] = Behaviors.receive: (context, message) =>
    message match
      case Root.Make(behavior, props, to) => to ! context.spawnAnonymous(behavior, props)
      case Root.MakeMany(count, behavior, to) =>
        for _ <- 1 to count do context.spawnAnonymous(behavior): Unit
        to ! count
    Behaviors.same

  def open(threads: Option[Int], settings: String = ""): ActorSystem[Root] =
    val quiet = "pekko.log-dead-letters = off\npekko.stdout-loglevel = off\npekko.loglevel = off\n"
    val pool = threads.fold(""): count =>
      s"""pekko.actor.default-dispatcher.fork-join-executor {
         |  parallelism-min = $count
         |  parallelism-max = $count
         |}
         |""".stripMargin
    ActorSystem(
      root,
      "ring",
      ConfigFactory.parseString(quiet + pool + settings).nn.withFallback(ConfigFactory.load()).nn
    )

  def make[T](
      system: ActorSystem[Root],
      behavior: Behavior[T],
      props: Props = Props.empty
  ): ActorRef[T] =
    import AskPattern.*
    given org.apache.pekko.util.Timeout = 1.minute
    given Scheduler = system.scheduler
    Await.result(system.ask[ActorRef[T]](Root.Make(behavior, props, _)), 1.minute)

  def close(system: ActorSystem[Root]): Unit =
    system.terminate()
    val _ = Await.result(system.whenTerminated, 1.minute)
end Pekko

final class PekkoRing(nodes: Int, threads: Option[Int], workNanos: Int)
    extends JvmRing(nodes, workNanos):
  private val system = Pekko.open(threads)
  private val refs = new Array[ActorRef[Hop]](nodes)
  for i <- refs.indices do refs(i) = Pekko.make(system, node(i))

  private def node(i: Int): Behavior[Hop] =
    lazy val next = refs((i + 1) % nodes)
    Behaviors.receiveMessage: hop =>
      handle(i)
      if hop.left > 1 then next ! Hop(hop.left - 1, hop.done) else hop.done.countDown()
      Behaviors.same

  protected def start(node: Int, hop: Hop): Unit = refs(node) ! hop
  def close(): Unit = Pekko.close(system)
end PekkoRing

package undercroft.actor
package testkit

import internal.cell.ActorCell
import scala.collection.mutable
import scala.concurrent.duration.{DurationInt, FiniteDuration}
import scala.util.control.NonFatal

/** Nodes and a network between them, in a simulation: a protocol is tested without a cluster. The
  * seed determines which messages are lost, doubled and delayed.
  *
  * An actor of a node is reached by two kinds of references: the one that
  * [[SimulatedNode.spawn spawn]] returns sends without the network, for actors of the same node and
  * for the test; [[SimulatedNode.remote remote]] returns one whose messages cross the network. Both
  * are still valid after the node has restarted. The reply to an `ask` of a remote reference
  * crosses the network back, so it may be lost or late, and the ask then ends by its timeout.
  *
  * Messages with a delay wait for simulated time to pass: see [[Simulation.advance]]. Messages from
  * one node to another may overtake each other if they have a delay. A lost message is not a dead
  * letter.
  *
  * {{{
  * import scala.concurrent.duration.*
  * import undercroft.actor.*
  * simulate(seeds = 100):
  *   val network = SimulatedNetwork(loss = 50, maxDelay = 20.millis)
  *   val (here, there) = (network.node("here"), network.node("there"))
  *   var count = 0
  *   val counter = there.spawn("counter")(Behavior.receive[Int] { _ =>
  *     count += 1
  *     Behavior.same
  *   })
  *   val remote = here.remote(counter)
  *   for n <- 1 to 10 do remote ! n
  *   simulation.advance(1.second)
  *   println(count) // about 5
  * }}}
  *
  * @param loss
  *   how many of a hundred messages are lost, on average
  * @param duplication
  *   how many of a hundred messages arrive twice, on average
  * @param maxDelay
  *   the longest time from one node to another; each message takes a random one
  */
final class SimulatedNetwork(
    loss: Int = 0,
    duplication: Int = 0,
    maxDelay: FiniteDuration = 0.nanos
)(using private val simulation: Simulation):
  requirePercentage("loss", loss)
  requirePercentage("duplication", duplication)
  if maxDelay.toNanos < 0 then
    throw IllegalArgumentException(s"maxDelay must be at least 0, but is $maxDelay")

  private val partitions = mutable.Set.empty[(SimulatedNode, SimulatedNode)]

  /** Adds a node, on which actors can be spawned.
    *
    * {{{
    * import undercroft.actor.*
    * simulate(seeds = 1):
    *   println(SimulatedNetwork().node("bank")) // bank
    * }}}
    */
  def node(name: String): SimulatedNode =
    if name == null then throw NullPointerException("the name of a simulated node is null")
    new SimulatedNode(name, this, simulation)

  /** Loses all messages between two nodes, from now on. Messages that are on the way arrive.
    *
    * {{{
    * import undercroft.actor.*
    * simulate(seeds = 1):
    *   val network = SimulatedNetwork()
    *   val (here, there) = (network.node("here"), network.node("there"))
    *   val probe = Probe[Int]()
    *   val echo = there.spawn("echo")(Behavior.receive[Int] { n =>
    *     probe.ref ! n
    *     Behavior.same
    *   })
    *   network.partition(here, there)
    *   here.remote(echo) ! 1
    *   network.heal()
    *   here.remote(echo) ! 2
    *   simulation.runUntilIdle()
    *   println(probe.received) // Vector(2)
    * }}}
    */
  def partition(a: SimulatedNode, b: SimulatedNode): Unit =
    if a == null || b == null then throw NullPointerException("a node of a partition is null")
    partitions ++= Set((a, b), (b, a))

  /** Ends all partitions: see [[partition]]. */
  def heal(): Unit = partitions.clear()

  /** Sends a message from one node to another. */
  private[testkit] def send(from: SimulatedNode, to: SimulatedNode)(arrive: Runnable): Unit =
    def happens(percentage: Int) = percentage > 0 && simulation.nextInt(100) < percentage
    if !partitions((from, to)) && !happens(loss) then
      arriveLater(arrive)
      if happens(duplication) then arriveLater(arrive)

  /** Delivers a message after one of a hundred different delays. */
  private def arriveLater(arrive: Runnable): Unit =
    if maxDelay.toNanos == 0 then arrive.run()
    else
      val nanos = maxDelay.toNanos / 100 * (1 + simulation.nextInt(100))
      simulation.system.clock.schedule(nanos, arrive): Unit

  private def requirePercentage(name: String, value: Int): Unit =
    if value < 0 || value > 100 then
      throw IllegalArgumentException(s"$name must be from 0 to 100 percent, but is $value")
end SimulatedNetwork

/** A node of a [[SimulatedNetwork]]. Its actors stop and start together.
  *
  * {{{
  * import undercroft.actor.*
  * def bank(network: SimulatedNetwork): SimulatedNode =
  *   val node = network.node("bank")
  *   node.spawn("account")(Behavior.ignore[Int]): Unit
  *   node
  * }}}
  */
final class SimulatedNode private[testkit] (
    val name: String,
    network: SimulatedNetwork,
    simulation: Simulation
):
  import SimulatedNode.*

  private val guardian: ActorRef[Command] =
    undercroft.actor.spawn(guard, s"node $name")(using simulation)

  /** Starts an actor, and again after each [[restart]]. The reference sends without the network. An
    * actor that has stopped by itself is started again only by a restart of the node. `behavior` is
    * evaluated for each start; if that throws, the actor fails, and the others of its node run on.
    *
    * No sender waits for room in the mailbox: with [[Overflow.Backpressure]] it takes messages
    * beyond its limit, and with [[Overflow.Fail]] a message that it does not take is a dead letter.
    *
    * {{{
    * import undercroft.actor.*
    * simulate(seeds = 1):
    *   val node = SimulatedNetwork().node("bank")
    *   val account = node.spawn("account")(Behavior.ignore[Int])
    *   println(account.name) // bank/account
    * }}}
    *
    * @throws java.lang.IllegalArgumentException
    *   if the node has an actor of this name
    */
  def spawn[T](actorName: String, mailbox: Mailbox = Mailbox.default)(
      behavior: => Behavior[T]
  ): ActorRef[T] =
    if actorName == null then
      throw NullPointerException(s"the name of an actor of the node $name is null")
    if mailbox == null then
      throw NullPointerException(s"the mailbox of $actorName of the node $name is null")
    if !names.add(actorName) then
      throw IllegalArgumentException(s"the node $name has an actor '$actorName' already")
    def start(scope: ActorScope): ActorRef[Any] =
      undercroft.actor
        .spawn(evaluated(actorName)(behavior), s"$name/$actorName", mailbox = mailbox)(using scope)
        .asInstanceOf[ActorRef[Any]]
    guardian ! Command.Start(actorName, start)
    NodeRef[T](this, actorName, simulation.system)

  private val names = mutable.Set.empty[String]

  /** The behavior of an actor; if it cannot be evaluated, one that fails when its actor starts, so
    * that the guardian does not fail.
    */
  private def evaluated[T](actorName: String)(behavior: => Behavior[T]): Behavior[T] =
    try
      val first = behavior
      if first == null then
        throw NullPointerException(s"the behavior of $actorName of the node $name is null")
      first
    catch case NonFatal(cause) => Behavior.setup[T](throw cause)

  /** A reference of this node to an actor of another one: its messages cross the network. A
    * reference to an actor of this node sends without it.
    *
    * {{{
    * import undercroft.actor.*
    * simulate(seeds = 1):
    *   val network = SimulatedNetwork()
    *   val account = network.node("bank").spawn("account")(Behavior.ignore[Int])
    *   println(network.node("branch").remote(account).name) // branch -> bank/account
    * }}}
    *
    * @throws java.lang.IllegalArgumentException
    *   if the actor was not spawned on a node
    */
  def remote[T](ref: ActorRef[T]): ActorRef[T] =
    if ref == null then
      throw NullPointerException(s"the target of a remote reference of the node $name is null")
    ref match
      case ref: NodeRef[T] @unchecked if ref.node eq this => ref
      case ref: NodeRef[T] @unchecked                     => RemoteRef(this, ref, simulation.system)
      case _ =>
        throw IllegalArgumentException(
          s"${ref.name} is not on a simulated node: expected an actor that a node spawned"
        )

  /** Stops all actors of the node, as if its process were killed, and starts them again with their
    * first behaviors. Messages that arrive before they have started are lost.
    *
    * {{{
    * import scala.concurrent.duration.*
    * import undercroft.actor.*
    * simulate(seeds = 1):
    *   val node = SimulatedNetwork().node("bank")
    *   val counter = node.spawn("counter")(Behavior.setup[Reply[Int]]:
    *     var count = 0
    *     Behavior.receive: reply =>
    *       count += 1
    *       reply ! count
    *       Behavior.same)
    *   println(counter.ask[Int](1.second)(reply => reply)) // 1
    *   node.restart()
    *   simulation.runUntilIdle()
    *   println(counter.ask[Int](1.second)(reply => reply)) // 1
    * }}}
    */
  def restart(): Unit = guardian.tellPriority(Command.Restart)

  override def toString: String = name

  private[testkit] def pass(actorName: String, message: Any): Unit =
    guardian ! Command.Pass(actorName, message)

  private[testkit] def receive(from: SimulatedNode, actorName: String, message: Any): Unit =
    network.send(from, this)(() => pass(actorName, message))

  /** Sends the reply to an ask back to the asker's node. */
  private[testkit] def reply[R](to: SimulatedNode, reply: Reply[R], result: R): Unit =
    var hasArrived = false
    network.send(this, to): () =>
      if !hasArrived then
        hasArrived = true // the network may double it
        reply ! result

  private def guard: Behavior[Command] = Behavior
    .setup[Command] {
      val starts = mutable.LinkedHashMap.empty[String, ActorScope => ActorRef[Any]]
      var actors = Map.empty[String, ActorRef[Any]]
      var stopping = Set.empty[ActorRef[Nothing]]

      def start(actorName: String): Unit =
        val actor = starts(actorName)(context)
        context.watch(actor)
        actors = actors.updated(actorName, actor)

      Behavior
        .receive[Command] {
          case Command.Start(actorName, begin) =>
            starts(actorName) = begin
            if stopping.isEmpty then start(actorName)
            Behavior.same
          case Command.Pass(actorName, message) =>
            if stopping.isEmpty then actors.get(actorName).foreach(deliver(_, message))
            Behavior.same
          case Command.Restart =>
            stopping = actors.values.filterNot(_.isStopped).toSet
            stopping.foreach(context.stop)
            if stopping.isEmpty then starts.keys.foreach(start)
            Behavior.same
        }
        .onSignal { case Signal.Terminated(actor, _) =>
          if stopping(actor) then
            stopping -= actor
            if stopping.isEmpty then starts.keys.foreach(start)
          Behavior.same
        }
    }
    .supervised { case _: ChildFailedException => Supervision.Resume }
end SimulatedNode

private object SimulatedNode:
  /** A message to the guardian of a node. */
  private enum Command derives CanEqual:
    case Start(name: String, begin: ActorScope => ActorRef[Any])
    case Pass(name: String, message: Any)
    case Restart

  /** Delivers a message for the guardian, which must not wait for room: it serves the other actors
    * of the node, too, and restarts them.
    */
  private def deliver(actor: ActorRef[Any], message: Any): Unit = actor match
    case cell: ActorCell[?] if cell.mailbox.overflow == Overflow.Backpressure =>
      cell.tellInternal(cell.inContext(message.asInstanceOf[AnyRef]))
    case _ =>
      try actor.tell(message)
      catch case _: MailboxFullException => () // counted as a dead letter

  /** An actor of a node, for the actors of the same node and for the test. */
  private final class NodeRef[T](val node: SimulatedNode, actorName: String, system: ActorSystem)
      extends ExternalRef[T](system):
    def name: String = s"${node.name}/$actorName"
    def tell(message: T): Unit = node.pass(actorName, required(name, message))
    def receive(from: SimulatedNode, message: T): Unit = node.receive(from, actorName, message)
    def isStopped: Boolean = false
    private[undercroft] def lifetime: ActorRef[Nothing] = unwatched(name)

  /** An actor of a node, as seen by another node. */
  private final class RemoteRef[T](from: SimulatedNode, to: NodeRef[T], system: ActorSystem)
      extends ExternalRef[T](system):
    def name: String = s"${from.name} -> ${to.name}"
    def tell(message: T): Unit = to.receive(from, required(name, message))
    def isStopped: Boolean = false
    private[undercroft] def lifetime: ActorRef[Nothing] = unwatched(name)
    private[undercroft] override def replyVia[R](reply: Reply[R]): Reply[R] =
      Reply.passing(ReplyRef(to, from, reply, system), system).asInstanceOf[Reply[R]]

  /** The asker on another node, for the reply of an actor of `from`. */
  private final class ReplyRef[R](
      from: NodeRef[?],
      to: SimulatedNode,
      reply: Reply[R],
      system: ActorSystem
  ) extends ExternalRef[Any](system):
    def name: String = from.name
    def tell(message: Any): Unit = from.node.reply(to, reply, message.asInstanceOf[R])
    def isStopped: Boolean = !reply.isOpen
    private[undercroft] def lifetime: ActorRef[Nothing] = unwatched(name)

  private def required[T](name: String, message: T): T =
    if message == null then throw NullPointerException(s"a message to $name is null")
    message

  private def unwatched(name: String): Nothing =
    throw IllegalArgumentException(s"$name cannot be watched: it restarts with its node")
end SimulatedNode

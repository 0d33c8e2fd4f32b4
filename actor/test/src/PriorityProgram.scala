package undercroft.actor

import scala.collection.mutable
import scala.util.Random

/** A random program of one actor with a priority mailbox, and a model of it: a queue for each
  * level. The actor sends all messages to itself, so its order is known on every run model.
  */
final class PriorityProgram(seed: Long, overflow: Overflow)(using stage: Stage):
  import PriorityProgram.*

  private val random = Random(seed)
  private val levels = 1 + random.nextInt(5)
  private val limit = 1 + random.nextInt(12)

  /** The actions of the handlers, in the order in which they run. */
  private val script: Vector[Vector[Action]] =
    var number = 0
    Vector.fill(Handlers):
      Vector.fill(random.nextInt(7)):
        number += 1
        random.nextInt(20) match
          case 0                            => Action.First(Item(number, random.nextInt(levels)))
          case 1                            => Action.Stash
          case 2                            => Action.Unstash(1 + random.nextInt(3))
          case 3                            => Action.UnstashAll
          case 4                            => Action.Fail
          case 5                            => Action.Send(Item(number, levels))
          case 6 if random.nextInt(20) == 0 => Action.Stop
          case _                            => Action.Send(Item(number, random.nextInt(levels)))
  private def actionsOf(handler: Int): Vector[Action] =
    if handler < Handlers then script(handler) else Vector.empty

  /** Runs the actor and the model; fails unless they agree. Returns the kinds of events. */
  def check(): Set[String] =
    val model = Model()
    model.run()
    val handled = mutable.ArrayBuffer[Int]()
    val outcomes = java.util.concurrent.ConcurrentLinkedQueue[(Int, DeadLetterReason)]()
    val subscription = stage.system.subscribe:
      case ActorEvent.DeadLetter(_, Item(number, _), reason) => outcomes.add((number, reason)): Unit
      case _                                                 => ()
    val actor = spawn(
      behavior(handled),
      s"program-$seed-$overflow",
      stage.run,
      Mailbox.prioritized(levels, limit, overflow)((item: Item) => item.level)
    )(using stage.system)
    actor ! Item(0, 0)
    stage.quiet()
    subscription.close()
    val dead = scala.jdk.CollectionConverters.CollectionHasAsScala(outcomes).asScala.toList
    val clue = s"seed $seed, $overflow, limit $limit, $levels levels"
    munit.Assertions.assertEquals(handled.toList, model.handled.toList, clue)
    munit.Assertions.assertEquals(dead.sortBy(_._1), model.dead.toList.sortBy(_._1), clue)
    munit.Assertions.assertEquals(actor.isStopped, model.isStopped, clue)
    val audit = stage.system.observe.auditOf(actor)
    munit.Assertions.assertEquals((audit.waiting, audit.failed), (0L, model.failed), clue)
    model.events.toSet
  end check

  private def behavior(handled: mutable.ArrayBuffer[Int]): Behavior[Item] = Behavior
    .setup[Item] {
      Behavior.receive: item =>
        val actions = actionsOf(handled.size)
        handled += item.number
        var isStashed = false
        var next = Behavior.same[Item]
        for action <- actions do
          action match
            case Action.Send(message) =>
              try self ! message
              catch case _: MailboxFullException => ()
            case Action.First(message) => self.tellPriority(message)
            case Action.Stash =>
              if !isStashed then context.stash()
              isStashed = true
            case Action.Unstash(count) => context.unstash(count)
            case Action.UnstashAll     => context.unstashAll()
            case Action.Fail           => throw IllegalStateException("the program fails here")
            case Action.Stop           => next = Behavior.stopped
        next
    }
    .supervised { case _: IllegalStateException =>
      if seed % 2 == 0 then Supervision.Resume else Supervision.Restart(Int.MaxValue)
    }

  private final class Model:
    private val queues = Vector.fill(levels)(mutable.ArrayDeque[Item]())
    private val first = mutable.ArrayDeque[Item]()
    private val due = mutable.ArrayDeque[Item]()
    private val stash = mutable.ArrayDeque[Item]()

    /** The place of each stashed message, which it keeps if it is stashed again. */
    private val places = mutable.Map[Item, Int]()
    private var lastPlace = 0
    val handled = mutable.ArrayBuffer[Int]()
    val dead = mutable.ArrayBuffer[(Int, DeadLetterReason)]()
    var isStopped = false
    var failed = 0L
    val events = mutable.Set[String]()

    def run(): Unit =
      send(Item(0, 0), 0)
      var next = take()
      while next.isDefined && !isStopped do
        val (item, isRanked) = next.get
        if isRanked && item.level >= levels then
          failed += 1
          events += "no level"
        else handle(item)
        if !isStopped then next = take()
      if handled.size > Handlers / 4 then events += "long"
      if isStopped then
        events += "stop"
        for queue <- queues ++ Vector(first, due, stash); item <- queue do
          dead += ((item.number, DeadLetterReason.Stopped))

    /** The next message, and whether it comes from a level. */
    private def take(): Option[(Item, Boolean)] =
      if first.nonEmpty then
        events += "priority message"
        Some((first.removeHead(), false))
      else if due.nonEmpty then
        events += "unstashed"
        Some((due.removeHead(), false))
      else queues.find(_.nonEmpty).map(queue => (queue.removeHead(), true))

    private def handle(item: Item): Unit =
      val actions = actionsOf(handled.size)
      handled += item.number
      val before = actions.takeWhile(_ != Action.Fail)
      for action <- before do
        action match
          case Action.Send(message)  => send(message, 1)
          case Action.First(message) => first += message
          case _                     => ()
      if before.size < actions.size then
        failed += 1
        events += "failure"
      else
        val wanted = before.map:
          case Action.Unstash(count) => count
          case Action.UnstashAll     => 1_000_000
          case _                     => 0
        if before.contains(Action.Stash) then
          lastPlace += 1
          places.getOrElseUpdate(item, lastPlace): Unit
          stash += item
          stash.sortInPlaceBy(places): Unit
        due ++= Vector.fill(wanted.sum.min(stash.size))(stash.removeHead())
        due.sortInPlaceBy(places): Unit
        if before.contains(Action.Stop) then isStopped = true
      if !stash.contains(item) && !due.contains(item) then places -= item
    end handle

    /** Sends a message while `current` messages are being handled. */
    private def send(item: Item, current: Int): Unit =
      val level = if item.level >= levels then 0 else item.level
      val waiting = queues.map(_.size).sum
      if overflow == Overflow.DropOldest then
        queues(level) += item
        if waiting == limit then
          val dropped = queues.findLast(_.nonEmpty).get.removeHead()
          events += (if dropped == item then "drops itself" else "drops another")
          dead += ((dropped.number, DeadLetterReason.Full))
      else if waiting + current < limit then queues(level) += item
      else
        events += "full"
        dead += ((item.number, DeadLetterReason.Full))
  end Model
end PriorityProgram

object PriorityProgram:
  private val Handlers = 200

  /** All kinds of events of a program. */
  val Events: Set[String] = Set(
    "long",
    "no level",
    "stop",
    "priority message",
    "unstashed",
    "failure",
    "drops itself",
    "drops another",
    "full"
  )

  final case class Item(number: Int, level: Int) derives CanEqual

  enum Action derives CanEqual:
    case Send(item: Item)
    case First(item: Item)
    case Unstash(count: Int)
    case Stash, UnstashAll, Fail, Stop
end PriorityProgram

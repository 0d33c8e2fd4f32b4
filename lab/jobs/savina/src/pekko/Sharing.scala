package savina.pekko

import savina.{Operations, Work}
import scala.collection.mutable
import scala.concurrent.Promise
import org.apache.pekko.actor.typed.*
import org.apache.pekko.actor.typed.scaladsl.Behaviors

enum Dictionary:
  case Write(key: Int, value: Int, to: ActorRef[Int])
  case Read(key: Int, to: ActorRef[Int])
  case Sum(to: ActorRef[Clients])

enum Clients:
  case Done
  case Sum(values: Long)

def concurrentDictionary(operations: Int, answer: Promise[Long]): Behavior[Clients] =
  Behaviors.setup: context =>
    val shared = context.spawnAnonymous(dictionary)
    for i <- 0 until 20 do
      context.spawnAnonymous(client(Operations(i), operations, shared, context.self))
    var left = 20
    Behaviors.receiveMessage:
      case Clients.Done =>
        left -= 1
        if left == 0 then shared ! Dictionary.Sum(context.self)
        Behaviors.same
      case Clients.Sum(values) =>
        answer.success(values)
        Behaviors.stopped

def dictionary: Behavior[Dictionary] = Behaviors.setup: context =>
  val values = mutable.HashMap[Int, Int]()
  Behaviors.receiveMessage:
    case Dictionary.Write(key, value, to) =>
      values(key) = value
      to ! value
      Behaviors.same
    case Dictionary.Read(key, to) =>
      to ! values.getOrElse(key, 0)
      Behaviors.same
    case Dictionary.Sum(to) =>
      to ! Clients.Sum(values.valuesIterator.map(_.toLong).sum)
      Behaviors.same

def client(
    operations: Operations,
    count: Int,
    dictionary: ActorRef[Dictionary],
    to: ActorRef[Clients]
): Behavior[Int] = Behaviors.setup: context =>
  var left = count
  def next(): Unit =
    left -= 1
    val (isWrite, key) = (operations.isWrite(), operations.key())
    if isWrite then dictionary ! Dictionary.Write(key, Operations.value(key), context.self)
    else dictionary ! Dictionary.Read(key, context.self)
  next()
  Behaviors.receiveMessage: _ =>
    if left > 0 then
      next()
      Behaviors.same
    else
      to ! Clients.Done
      Behaviors.stopped

enum Buffer:
  case Produced(item: Item, producer: ActorRef[Producer])
  case Ready(consumer: ActorRef[Item], sum: Long)
  case Done

enum Producer:
  case Produce

case class Item(number: Int, value: Double)

def boundedBuffer(items: Int, answer: Promise[Long]): Behavior[Buffer] = Behaviors.setup: context =>
  for i <- 0 until 40 do context.spawnAnonymous(producer(i, items, context.self))
  for i <- 0 until 40 do context.spawnAnonymous(consumer(i, context.self))
  val producers = mutable.Queue[ActorRef[Producer]]()
  val consumers = mutable.Queue[ActorRef[Item]]()
  val buffer = mutable.Queue[Item]()
  var (open, total) = (40, 0L)

  /** All consumers wait, and there will be no other items. */
  def isOver = open == 0 && buffer.isEmpty && consumers.size == 40
  def next = if isOver then
    answer.success(total); Behaviors.stopped[Buffer]
  else Behaviors.same

  Behaviors.receiveMessage:
    case Buffer.Produced(item, producer) =>
      if consumers.isEmpty then buffer += item else consumers.dequeue() ! item
      if buffer.size < 50 then producer ! Producer.Produce else producers += producer
      Behaviors.same
    case Buffer.Ready(consumer, sum) =>
      total += sum
      if buffer.isEmpty then consumers += consumer
      else
        consumer ! buffer.dequeue()
        if producers.nonEmpty then producers.dequeue() ! Producer.Produce
      next
    case Buffer.Done =>
      open -= 1
      next

def producer(index: Int, items: Int, buffer: ActorRef[Buffer]): Behavior[Producer] =
  Behaviors.setup: context =>
    val work = Work(index)
    var produced = 0
    context.self ! Producer.Produce
    Behaviors.receiveMessage:
      case Producer.Produce =>
        if produced < items then
          val item = Item(index * items + produced, work.item())
          produced += 1
          buffer ! Buffer.Produced(item, context.self)
          Behaviors.same
        else
          buffer ! Buffer.Done
          Behaviors.stopped

def consumer(index: Int, buffer: ActorRef[Buffer]): Behavior[Item] = Behaviors.setup: context =>
  val work = Work(index)
  buffer ! Buffer.Ready(context.self, 0)
  Behaviors.receiveMessage:
    case Item(number, value) =>
      val sum = if work.item() + value < 0 then number else number + 1 // always negative
      buffer ! Buffer.Ready(context.self, sum)
      Behaviors.same

enum Arbitrator:
  case Hungry(philosopher: Int)
  case Done(philosopher: Int)

enum Philosopher:
  case Eat, Denied

def philosophers(meals: Int, answer: Promise[Long]): Behavior[Arbitrator] =
  Behaviors.setup: context =>
    val seats =
      for i <- 0 until 20 yield context.spawnAnonymous(philosopher(i, meals, context.self))
    val isTaken = new Array[Boolean](20)
    var eaten = 0L
    Behaviors.receiveMessage:
      case Arbitrator.Hungry(i) =>
        val right = (i + 1) % 20
        if isTaken(i) || isTaken(right) then seats(i) ! Philosopher.Denied
        else
          isTaken(i) = true
          isTaken(right) = true
          seats(i) ! Philosopher.Eat
        Behaviors.same
      case Arbitrator.Done(i) =>
        isTaken(i) = false
        isTaken((i + 1) % 20) = false
        eaten += 1
        if eaten < 20L * meals then Behaviors.same
        else
          answer.success(eaten)
          Behaviors.stopped

def philosopher(index: Int, meals: Int, arbitrator: ActorRef[Arbitrator]): Behavior[Philosopher] =
  Behaviors.setup: context =>
    var left = meals
    arbitrator ! Arbitrator.Hungry(index)
    Behaviors.receiveMessage:
      case Philosopher.Denied =>
        arbitrator ! Arbitrator.Hungry(index)
        Behaviors.same
      case Philosopher.Eat =>
        left -= 1
        arbitrator ! Arbitrator.Done(index)
        if left > 0 then
          arbitrator ! Arbitrator.Hungry(index)
          Behaviors.same
        else Behaviors.stopped

package savina.ours

import savina.{Operations, Work}
import scala.collection.mutable
import scala.concurrent.Promise
import undercroft.actor.*
import undercroft.struct.*

enum Dictionary:
  case Write(key: Int, value: Int, to: ActorRef[Int])
  case Read(key: Int, to: ActorRef[Int])
  case Sum(to: ActorRef[Clients])

enum Clients:
  case Done
  case Sum(values: Long)

def concurrentDictionary(operations: Int, run: Run, answer: Promise[Long]): Behavior[Clients] =
  Behavior.setup:
    val shared = spawn(dictionary, run = run)
    for i <- 0 until 20 do
      spawn(client(Operations(i), operations, shared, context.self), run = run)
    var left = 20
    Behavior.receive:
      case Clients.Done =>
        left -= 1
        if left == 0 then shared ! Dictionary.Sum(context.self)
        Behavior.same
      case Clients.Sum(values) =>
        answer.success(values)
        Behavior.stopped

def dictionary: Behavior[Dictionary] = Behavior.setup:
  val values = mutable.HashMap[Int, Int]()
  Behavior.receive:
    case Dictionary.Write(key, value, to) =>
      values(key) = value
      to ! value
      Behavior.same
    case Dictionary.Read(key, to) =>
      to ! values.getOrElse(key, 0)
      Behavior.same
    case Dictionary.Sum(to) =>
      to ! Clients.Sum(values.valuesIterator.map(_.toLong).sum)
      Behavior.same

def client(
    operations: Operations,
    count: Int,
    dictionary: ActorRef[Dictionary],
    to: ActorRef[Clients]
): Behavior[Int] = Behavior.setup:
  var left = count
  def next(): Unit =
    left -= 1
    val (isWrite, key) = (operations.isWrite(), operations.key())
    if isWrite then dictionary ! Dictionary.Write(key, Operations.value(key), context.self)
    else dictionary ! Dictionary.Read(key, context.self)
  next()
  Behavior.receive: _ =>
    if left > 0 then
      next()
      Behavior.same
    else
      to ! Clients.Done
      Behavior.stopped

enum Buffer:
  case Produced(item: Item, producer: ActorRef[Producer])
  case Ready(consumer: ActorRef[Item], sum: Long)
  case Done

enum Producer:
  case Produce

case class Item(number: Int, value: Double)

def boundedBuffer(items: Int, run: Run, answer: Promise[Long]): Behavior[Buffer] = Behavior.setup:
  for i <- 0 until 40 do spawn(producer(i, items, context.self), run = run)
  for i <- 0 until 40 do spawn(consumer(i, context.self), run = run)
  val producers = mutable.Queue[ActorRef[Producer]]()
  val consumers = mutable.Queue[ActorRef[Item]]()
  val buffer = mutable.Queue[Item]()
  var (open, total) = (40, 0L)

  /** All consumers wait, and there will be no other items. */
  def isOver = open == 0 && buffer.isEmpty && consumers.size == 40
  def next = if isOver then
    answer.success(total); Behavior.stopped[Buffer]
  else Behavior.same

  Behavior.receive:
    case Buffer.Produced(item, producer) =>
      if consumers.isEmpty then buffer += item else consumers.dequeue() ! item
      if buffer.size < 50 then producer ! Producer.Produce else producers += producer
      Behavior.same
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
  Behavior.setup:
    val work = Work(index)
    var produced = 0
    context.self ! Producer.Produce
    Behavior.receive:
      case Producer.Produce =>
        if produced < items then
          val item = Item(index * items + produced, work.item())
          produced += 1
          buffer ! Buffer.Produced(item, context.self)
          Behavior.same
        else
          buffer ! Buffer.Done
          Behavior.stopped

def consumer(index: Int, buffer: ActorRef[Buffer]): Behavior[Item] = Behavior.setup:
  val work = Work(index)
  buffer ! Buffer.Ready(context.self, 0)
  Behavior.receive:
    case Item(number, value) =>
      val sum = if work.item() + value < 0 then number else number + 1 // always negative
      buffer ! Buffer.Ready(context.self, sum)
      Behavior.same

enum Arbitrator derives Struct:
  case Hungry(philosopher: Int)
  case Done(philosopher: Int)

enum Philosopher:
  case Eat, Denied

def philosophers(meals: Int, run: Run, answer: Promise[Long]): Behavior[Arbitrator] =
  Behavior.setup:
    val seats = for i <- 0 until 20 yield spawn(philosopher(i, meals, context.self), run = run)
    val isTaken = new Array[Boolean](20)
    var eaten = 0L
    Behavior.receive:
      case Arbitrator.Hungry(i) =>
        val right = (i + 1) % 20
        if isTaken(i) || isTaken(right) then seats(i) ! Philosopher.Denied
        else
          isTaken(i) = true
          isTaken(right) = true
          seats(i) ! Philosopher.Eat
        Behavior.same
      case Arbitrator.Done(i) =>
        isTaken(i) = false
        isTaken((i + 1) % 20) = false
        eaten += 1
        if eaten < 20L * meals then Behavior.same
        else
          answer.success(eaten)
          Behavior.stopped

def philosopher(index: Int, meals: Int, arbitrator: ActorRef[Arbitrator]): Behavior[Philosopher] =
  Behavior.setup:
    var left = meals
    arbitrator ! Arbitrator.Hungry(index)
    Behavior.receive:
      case Philosopher.Denied =>
        arbitrator ! Arbitrator.Hungry(index)
        Behavior.same
      case Philosopher.Eat =>
        left -= 1
        arbitrator ! Arbitrator.Done(index)
        if left > 0 then
          arbitrator ! Arbitrator.Hungry(index)
          Behavior.same
        else Behavior.stopped

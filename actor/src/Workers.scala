package undercroft.actor

import java.util.concurrent.atomic.AtomicInteger

/** The workers of a system. */
private[actor] final class Workers(val name: String, count: Int) extends Runner:
  def run: Run = Run.Workers
  val idleCount: AtomicInteger = AtomicInteger()
  val slotMemory: SlotMemory = SlotMemory(name)
  private val workers = Array.tabulate(count)(index => Worker(this, index))

  // Workers beyond those, for the time that all block. Under the lock of this object.
  @volatile private var spares = Array.empty[Worker]
  private var isEnded = false
  private val left = AtomicInteger(count)

  /** A worker has ended; with the last of them the memory of the messages goes. */
  def ended(): Unit = if left.decrementAndGet() == 0 then slotMemory.close()

  def start(): Unit = for worker <- workers do worker.start()

  /** Its threads, for a [[Watch]]. */
  def watched: Iterator[Watched] = everyone.iterator.map(_.watched)

  /** Those of its own and those beyond. */
  def everyone: Array[Worker] = workers ++ spares

  /** Whether none of them has anything to do, for a moment. */
  def isAtRest: Boolean = everyone.forall(_.isIdleVolatile)

  def hasIdle: Boolean = idleCount.get > 0

  def idleBut(busy: Worker): Worker | Null =
    var found: Worker | Null = null
    var i = 0
    while found == null && i < workers.length do
      val worker = workers(i)
      if (worker ne busy) && worker.isIdleVolatile then found = worker
      i += 1
    found

  /** Who can have the actors of a worker that blocks: one that does not, made for it if there is
    * none; null where there are too many.
    */
  def standIn(blocked: Worker): Worker | Null =
    idleBut(blocked) match
      case null =>
        workers.find(one => (one ne blocked) && !one.isAwayVolatile) match
          case Some(one) => one
          case None      => spare(blocked)
      case idle => idle

  private def spare(blocked: Worker): Worker | Null = synchronized:
    spares.find(one => (one ne blocked) && !one.isAwayVolatile) match
      case Some(one)                                          => one
      case None if isEnded || spares.length == Workers.Spares => null
      case None =>
        val one = Worker(this, workers.length + spares.length)
        left.incrementAndGet(): Unit
        spares = spares :+ one
        one.start()
        one

  def started(cell: Cell[?]): Unit = ()

  override def adopt(cell: Cell[?]): Unit = Thread.currentThread match
    case worker: Worker if (worker.pool eq this) && !worker.isAway => cell.setOwnerVolatile(worker)
    case _ =>
      val idle = idleBut(workers(0))
      val home = if workers(0).isIdleVolatile || idle == null then workers(0) else idle
      cell.setOwnerVolatile(home)

  def wake(cell: Cell[?]): Unit = cell.ownerVolatile match
    case worker: Worker => worker.arrive(cell)
    case other => throw IllegalStateException(s"${cell.name} is owned by $other, not a worker")

  def ready(cell: Cell[?]): Unit = Thread.currentThread match
    case worker: Worker => worker.ready(cell)
    case other          => throw IllegalStateException(s"${cell.name} is ready on $other")

  def takeOver(cell: Cell[?], thread: Thread): Boolean = thread match
    case worker: Worker if (worker.pool eq this) && !worker.isAway =>
      cell.ownerVolatile match
        case other: Worker => worker.takeFrom(other, cell)
        case _             => false
    case _ => false

  def stopped(cell: Cell[?]): Unit = ()

  /** Ends the threads, after the turns they are in. */
  def end(): Unit = synchronized:
    isEnded = true
    for worker <- everyone do worker.end()

  /** Waits for the threads to end. Whether all did in time. */
  def join(withinNanos: Long): Boolean =
    val until = System.nanoTime + withinNanos
    everyone.forall: worker =>
      worker.join(java.time.Duration.ofNanos(math.max(1L, until - System.nanoTime)))
end Workers

private[actor] object Workers:
  /** Workers that a system may have beyond its own, as many as Scala's own pool has by default. */
  private inline val Spares = 256

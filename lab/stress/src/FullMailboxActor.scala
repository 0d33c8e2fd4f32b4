package undercroft.actor

/** An actor on two workers whose mailbox has room for one message and drops the newest. An actor
  * and a thread send to it, for tests in Java.
  */
final class FullMailboxActor:
  @volatile private var isPassed = false
  @volatile private var isMisplaced = false

  private val target = spawn(
    Behavior.setup[Int] {
      var last = 0
      Behavior.receive[Int] { n =>
        if n < FullMailboxActor.FromThread then
          if n <= last then isMisplaced = true
          last = n
        Behavior.same
      }
    },
    mailbox = Mailbox(1, Overflow.DropNewest)
  )(using FullMailboxActor.system)

  private val passing = spawn(Behavior.receive[Int] { count =>
    for n <- 1 to count do target ! n
    isPassed = true
    Behavior.same
  })(using FullMailboxActor.system)

  /** Sends ascending numbers from a worker. */
  def pass(): Unit = passing ! 6

  /** Sends numbers without an order from this thread. */
  def send(): Unit = for n <- 1 to 3 do target ! FullMailboxActor.FromThread + n

  /** Waits until all messages are handled or dropped, and returns the result as text. */
  def end(): String =
    val until = System.nanoTime + FullMailboxActor.PatienceNanos
    def waits = !isPassed || FullMailboxActor.system.observe.auditOf(target).waiting > 0
    while waits && System.nanoTime < until do Thread.onSpinWait()
    if waits then "never handled" else if isMisplaced then "out of order" else "in order"
end FullMailboxActor

object FullMailboxActor:
  private val FromThread = 100
  private val PatienceNanos = 20_000_000_000L
  private val system = ActorSystem("filling", workers = 2, listener = _ => ())

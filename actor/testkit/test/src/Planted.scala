package undercroft.actor
package testkit

import scala.concurrent.duration.*
import scala.util.Success

/** Programs with planted bugs that only some schedules expose, each with its corrected version. */
object Planted:

  enum Account derives CanEqual:
    case Get(to: ActorRef[Int])
    case Set(sum: Int, to: ActorRef[Boolean])
    case Add(amount: Int)

  def account: Behavior[Account] = Behavior.setup:
    var sum = 0
    Behavior.receive:
      case Account.Get(to)     => to ! sum; Behavior.same
      case Account.Set(n, to)  => sum = n; to ! true; Behavior.same
      case Account.Add(amount) => sum += amount; Behavior.same

  /** Two tellers deposit one each; the balance that a teller has read may be stale when it writes.
    */
  def lostUpdate(isMended: Boolean)(using Simulation): Unit =
    val bank = spawn(account, "account")
    def teller: Behavior[Int] = Behavior.process: inbox =>
      val amount = inbox.receive()
      if isMended then bank ! Account.Add(amount)
      else
        val sum = bank.ask(1.second)(Account.Get(_))
        bank.ask(1.second)(Account.Set(sum + amount, _)): Unit
    for n <- 1 to 2 do spawn(teller, s"teller $n") ! 1
    simulation.runUntilIdle()
    val sum = bank.ask(1.second)(Account.Get(_))
    munit.Assertions.assertEquals(sum, 2)

  /** The same bug with tellers that do not wait for replies. */
  def lostUpdateLater(isMended: Boolean)(using Simulation): Unit =
    val bank = spawn(account, "account")
    def teller: Behavior[Any] = Behavior.setup:
      Behavior.receive:
        case amount: Int if isMended => bank ! Account.Add(amount); Behavior.same
        case amount: Int =>
          context.pipeToSelf(bank.askAsync(1.second)(Account.Get(_)))(_.map(_ + amount))
          Behavior.same
        case Success(sum: Int) =>
          context.pipeToSelf(bank.askAsync(1.second)(Account.Set(sum, _)))(done => done)
          Behavior.same
        case _ => Behavior.same
    for n <- 1 to 2 do spawn(teller, s"teller $n") ! 1
    simulation.runUntilIdle()
    val sum = bank.ask(1.second)(Account.Get(_))
    munit.Assertions.assertEquals(sum, 2)

  enum Line derives CanEqual:
    case Opened
    case Text(number: Int)

  /** A file that stashes the lines to write until it is open. */
  def stashReordered(isMended: Boolean)(using Simulation): Unit =
    val disk = Probe[Int]("disk")
    val opener = spawn(
      Behavior.receive[ActorRef[Line]] { to =>
        to ! Line.Opened
        Behavior.same
      },
      "opener"
    )
    val file = spawn(
      Behavior.setup[Line]:
        var lines = Vector.empty[Line]
        def open: Behavior[Line] = Behavior.receive:
          case Line.Text(number) => disk.ref ! number; Behavior.same
          case Line.Opened       => Behavior.same
        opener ! self
        Behavior.receive:
          case Line.Opened =>
            // Messages sent again are queued behind messages that arrived meanwhile.
            if isMended then context.unstashAll() else for line <- lines do self ! line
            open
          case line =>
            if isMended then context.stash() else lines = lines :+ line
            Behavior.same
      ,
      "file"
    )
    val writer = spawn(
      Behavior.setup[Int]:
        Behavior.receive: number =>
          file ! Line.Text(number)
          if number < 3 then self ! number + 1
          Behavior.same
      ,
      "writer"
    )
    writer ! 1
    simulation.runUntilIdle()
    munit.Assertions.assertEquals(disk.received, Vector(1, 2, 3))
  end stashReordered

  enum Job derives CanEqual:
    case Begin, Cancel, Overdue

  /** A job with a timer in another actor, which may already have fired when the job is cancelled.
    */
  def timerAfterCancel(isMended: Boolean)(using Simulation): Unit =
    val probe = Probe[String]("told")
    val job = spawn(
      Behavior.setup[Job]:
        var isCancelled = false
        val owner = self
        val alarm = spawn(
          Behavior.setup[Boolean]:
            Behavior.receive: isArmed =>
              if isArmed then context.startSingleTimer("ring", false, 1.milli)
              else owner ! Job.Overdue
              Behavior.same
          ,
          "alarm"
        )
        Behavior.receive:
          case Job.Begin => alarm ! true; Behavior.same
          case Job.Cancel =>
            isCancelled = true
            context.stop(alarm)
            probe.ref ! "cancelled"
            Behavior.same
          case Job.Overdue =>
            if !isMended || !isCancelled then probe.ref ! "overdue"
            Behavior.same
      ,
      "job"
    )
    val user = spawn(
      Behavior.setup[Job]:
        context.startSingleTimer("enough", Job.Cancel, 1.milli)
        Behavior.receive { message =>
          job ! message
          Behavior.same
        }
      ,
      "user"
    )
    user ! Job.Begin
    simulation.advance(10.millis)
    val after = probe.received.dropWhile(_ != "cancelled")
    munit.Assertions.assertEquals(after, Vector("cancelled"))
  end timerAfterCancel

  /** The planted bugs that the tests look for. */
  val bugs: Vector[(String, Boolean => Simulation ?=> Unit)] = Vector(
    "a lost update across two asks" -> (isMended => lostUpdate(isMended)),
    "a lost update across two replies" -> (isMended => lostUpdateLater(isMended)),
    "a reordered stash" -> (isMended => stashReordered(isMended)),
    "a timer that fires after its cancellation" -> (isMended => timerAfterCancel(isMended))
  )
end Planted

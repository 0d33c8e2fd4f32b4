import scala.concurrent.duration.*
import undercroft.actor.*

/** Divides, and is restarted if that fails. */
def divider(by: Int): Behavior[Int] = Behavior
  .receive[Int] { n =>
    println(n / by)
    Behavior.same
  }
  .supervised { case _: ArithmeticException => Supervision.Restart(limit = 3, within = 1.minute) }

def office: Behavior[Int] = Behavior.setup:
  val clerk = spawn(divider(0), "clerk") // a child, which stops before its parent does
  context.watch(clerk)
  Behavior
    .receive[Int] { n =>
      for i <- 1 to n do clerk ! i
      Behavior.same
    }
    .onSignal { case Signal.Terminated(who, cause) => // after all messages from the clerk
      println(s"$who has stopped: ${cause.fold("")(_.getMessage)}")
      Behavior.stopped
    }

@main def supervised(): Unit =
  val system = ActorSystem(
    "bureau",
    listener = {
      case ActorEvent.Failed(who, _, decision)        => println(s"$who: $decision")
      case ActorEvent.DeadLetter(to, message, reason) => println(s"$message to $to: $reason")
      case ActorEvent.Stalled(who, atLeast, _, _) => println(s"$who keeps a worker for $atLeast")
      case ActorEvent.MessageParked(parked, _)    => println(s"${parked.message} is parked")
      case ActorEvent.SystemFailed(failure)       => println(failure.getMessage)
    }
  )
  val desk = spawn(office, "office")(using system)
  desk ! 5
  system.close()
  val audit = system.observe.audit
  println(s"${audit.failed} failed, ${audit.deadLetterCount} dead of ${audit.sent}")

// prints:
// clerk: Restart(3,1 minute)
// clerk: Restart(3,1 minute)
// clerk: Restart(3,1 minute)
// clerk: Stop
// 5 to clerk: Stopped
// clerk has stopped: / by zero
// 4 failed, 1 dead of 7

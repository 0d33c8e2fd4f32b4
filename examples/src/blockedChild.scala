import java.net.InetSocketAddress
import java.nio.channels.ServerSocketChannel
import scala.concurrent.Await
import scala.concurrent.duration.*
import undercroft.actor.*

enum Gate derives CanEqual:
  case Wait, Waiting, Closed

def guard(door: ServerSocketChannel): Behavior[ActorRef[Gate]] = Behavior.receive: house =>
  house ! Gate.Waiting
  door.accept().close() // blocks: nobody connects
  Behavior.same

def house(door: ServerSocketChannel): Behavior[Gate] = Behavior.setup:
  val child = spawn(guard(door), "guard", run = Run.Virtual)
  context.watchWith(child, Gate.Closed)
  Behavior.receive:
    case Gate.Wait => child ! context.self; Behavior.same
    case Gate.Waiting =>
      context.stop(child, interruptAfter = 20.millis) // else the child would never stop
      Behavior.same
    case Gate.Closed => Behavior.stopped

@main def blockedChild(): Unit =
  val listener: ActorEvent => Unit =
    case ActorEvent.Failed(actor, cause, _) => println(s"${actor.name}: ${cause.getClass.getName}")
    case event                              => ActorEvent.log(event)
  ActorSystem.scoped("street", listener = listener):
    val door = ServerSocketChannel.open().bind(InetSocketAddress("localhost", 0))
    val mine = spawn(house(door))
    mine ! Gate.Wait
    Await.result(mine.whenStopped, 10.seconds)
    println(s"the door is open: ${door.isOpen}")
end blockedChild

// prints:
// guard: java.nio.channels.ClosedByInterruptException
// the door is open: false

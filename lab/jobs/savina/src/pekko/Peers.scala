package savina.pekko

import java.util.SplittableRandom
import org.apache.pekko.actor.typed.*
import org.apache.pekko.actor.typed.scaladsl.Behaviors
import savina.Color
import scala.concurrent.Promise

enum Mall:
  case Meet(color: Color, chameneo: ActorRef[Chameneo])
  case Meetings(count: Int)

enum Chameneo:
  case Meet(color: Color, other: ActorRef[Chameneo])
  case Change(color: Color)
  case Exit

def chameneos(meetings: Int, answer: Promise[Long]): Behavior[Mall] = Behaviors.setup: context =>
  for i <- 0 until 100 do context.spawnAnonymous(chameneo(Color.fromOrdinal(i % 3), context.self))
  var waiting = Option.empty[ActorRef[Chameneo]]
  var (left, open, total) = (meetings, 100, 0L)
  Behaviors.receiveMessage:
    case Mall.Meet(_, chameneo) if left == 0 =>
      chameneo ! Chameneo.Exit
      Behaviors.same
    case Mall.Meet(color, chameneo) =>
      waiting match
        case None => waiting = Some(chameneo)
        case Some(other) =>
          other ! Chameneo.Meet(color, chameneo)
          waiting = None
          left -= 1
      Behaviors.same
    case Mall.Meetings(count) =>
      open -= 1
      total += count
      if open > 0 then Behaviors.same
      else
        answer.success(total)
        Behaviors.stopped

def chameneo(first: Color, mall: ActorRef[Mall]): Behavior[Chameneo] = Behaviors.setup: context =>
  var (color, meetings) = (first, 0)
  mall ! Mall.Meet(color, context.self)
  Behaviors.receiveMessage:
    case Chameneo.Meet(otherColor, other) =>
      color = color.complement(otherColor)
      meetings += 1
      other ! Chameneo.Change(color)
      mall ! Mall.Meet(color, context.self)
      Behaviors.same
    case Chameneo.Change(newColor) =>
      color = newColor
      meetings += 1
      mall ! Mall.Meet(color, context.self)
      Behaviors.same
    case Chameneo.Exit =>
      mall ! Mall.Meetings(meetings)
      Behaviors.stopped

enum Peer:
  case Begin
  case Ping(from: Int)
  case Pong

def big(pings: Int, answer: Promise[Long]): Behavior[Int] = Behaviors.setup: context =>
  val peers = new Array[ActorRef[Peer]](120)
  for i <- peers.indices do
    peers(i) = context.spawnAnonymous(peer(i, peers, pings, context.self))
  for peer <- peers do peer ! Peer.Begin
  var (left, total) = (peers.length, 0L)
  Behaviors.receiveMessage: pongs =>
    left -= 1
    total += pongs
    if left > 0 then Behaviors.same
    else
      answer.success(total)
      Behaviors.stopped

/** Sends pings, one after another, to peers at random. */
def peer(
    index: Int,
    peers: Array[ActorRef[Peer]],
    pings: Int,
    to: ActorRef[Int]
): Behavior[Peer] = Behaviors.setup: _ =>
  val random = SplittableRandom(index)
  var pongs = 0
  def ping(): Unit = peers(random.nextInt(peers.length)) ! Peer.Ping(index)
  Behaviors.receiveMessage:
    case Peer.Begin =>
      ping()
      Behaviors.same
    case Peer.Ping(from) =>
      peers(from) ! Peer.Pong
      Behaviors.same
    case Peer.Pong =>
      pongs += 1
      if pongs < pings then ping() else to ! pongs
      Behaviors.same

package savina.ours

import java.util.SplittableRandom
import savina.Color
import scala.concurrent.Promise
import undercroft.actor.*
import undercroft.struct.*

enum Mall:
  case Meet(color: Color, chameneo: ActorRef[Chameneo])
  case Meetings(count: Int)

enum Chameneo:
  case Meet(color: Color, other: ActorRef[Chameneo])
  case Change(color: Color)
  case Exit

def chameneos(meetings: Int, run: Run, answer: Promise[Long]): Behavior[Mall] = Behavior.setup:
  for i <- 0 until 100 do spawn(chameneo(Color.fromOrdinal(i % 3), context.self), run = run)
  var waiting = Option.empty[ActorRef[Chameneo]]
  var (left, open, total) = (meetings, 100, 0L)
  Behavior.receive:
    case Mall.Meet(_, chameneo) if left == 0 => chameneo ! Chameneo.Exit; Behavior.same
    case Mall.Meet(color, chameneo) =>
      waiting match
        case None => waiting = Some(chameneo)
        case Some(other) =>
          other ! Chameneo.Meet(color, chameneo)
          waiting = None
          left -= 1
      Behavior.same
    case Mall.Meetings(count) =>
      open -= 1
      total += count
      if open > 0 then Behavior.same
      else
        answer.success(total)
        Behavior.stopped

def chameneo(first: Color, mall: ActorRef[Mall]): Behavior[Chameneo] = Behavior.setup:
  var (color, meetings) = (first, 0)
  mall ! Mall.Meet(color, context.self)
  Behavior.receive:
    case Chameneo.Meet(otherColor, other) =>
      color = color.complement(otherColor)
      meetings += 1
      other ! Chameneo.Change(color)
      mall ! Mall.Meet(color, context.self)
      Behavior.same
    case Chameneo.Change(newColor) =>
      color = newColor
      meetings += 1
      mall ! Mall.Meet(color, context.self)
      Behavior.same
    case Chameneo.Exit =>
      mall ! Mall.Meetings(meetings)
      Behavior.stopped

enum Peer derives Struct:
  case Begin
  case Ping(from: Int)
  case Pong

def big(pings: Int, run: Run, answer: Promise[Long]): Behavior[Int] = Behavior.setup:
  val peers = new Array[ActorRef[Peer]](120)
  for i <- peers.indices do peers(i) = spawn(peer(i, peers, pings, context.self), run = run)
  for peer <- peers do peer ! Peer.Begin
  var (left, total) = (peers.length, 0L)
  Behavior.receive: pongs =>
    left -= 1
    total += pongs
    if left > 0 then Behavior.same
    else
      answer.success(total)
      Behavior.stopped

/** Sends pings, one after another, to peers at random. */
def peer(
    index: Int,
    peers: Array[ActorRef[Peer]],
    pings: Int,
    to: ActorRef[Int]
): Behavior[Peer] = Behavior.setup:
  val random = SplittableRandom(index)
  var pongs = 0
  def ping(): Unit = peers(random.nextInt(peers.length)) ! Peer.Ping(index)
  Behavior.receive:
    case Peer.Begin      => ping(); Behavior.same
    case Peer.Ping(from) => peers(from) ! Peer.Pong; Behavior.same
    case Peer.Pong =>
      pongs += 1
      if pongs < pings then ping() else to ! pongs
      Behavior.same

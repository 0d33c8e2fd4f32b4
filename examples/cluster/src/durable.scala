import java.nio.file.{Files, Path}
import org.apache.pekko.actor.typed
import org.apache.pekko.cluster.sharding.typed.scaladsl.*
import org.apache.pekko.cluster.typed.{Cluster, Join}
import scala.concurrent.Await
import scala.concurrent.duration.*
import undercroft.actor.*
import undercroft.actor.persistence.*
import undercroft.pekko.*
import undercroft.struct.*

enum Safe derives MessageCodec:
  case Deposit(amount: Long, to: Reply[Long])
  case Idle

final case class Deposited(amount: Long) derives Struct
final case class Content(amount: Long) derives Struct

/** An entity that leaves the memory of its node after a minute without a message. */
def safe(journal: Journal[Deposited, Content], entity: EntityContext[Safe])(using
    typed.ActorSystem[?]
): Behavior[Safe] = Behavior.setup:
  context.setReceiveTimeout(1.minute, Safe.Idle)
  val me = self
  Persistent(journal, entity.entityId.toLong, Content(0))(
    command = (_, command) =>
      command match
        case Safe.Deposit(amount, to) =>
          Effect.persist(Deposited(amount)).thenReply(to)(content => content.amount)
        case Safe.Idle =>
          Effect.none.thenRun(_ => entity.shard ! ClusterSharding.Passivate(me.toPekko))
    ,
    event = (content, deposited) => Content(content.amount + deposited.amount)
  )

val safes = EntityTypeKey[Safe]("Safe")

/** Called on each node, with a folder that all nodes reach. */
def openSafes(folder: Path)(using system: typed.ActorSystem[?]): Unit =
  val journals = ShardJournals.open[Deposited, Content](folder)
  val _ = ClusterSharding(system).init(
    Entity(safes)(entity => journals.entity(safe(_, entity)))
  )

/** A cluster of one node. */
def startSafes(folder: Path): typed.ActorSystem[Nothing] =
  val system = nodeOnLoopback("safes", MessageCodec[Safe])
  Cluster(system).manager ! Join(Cluster(system).selfMember.address)
  openSafes(folder)(using system)
  system

@main def durable(): Unit =
  val folder = Files.createTempDirectory("safes")
  for amount <- Seq(100, 1) do
    given system: typed.ActorSystem[Nothing] = startSafes(folder)
    val seven = ClusterSharding(system).entityRefFor(safes, "7").toUndercroft
    println(seven.ask[Long](30.seconds)(Safe.Deposit(amount, _)))
    system.terminate() // the next node starts with the stored state
    Await.result(system.whenTerminated, 1.minute)

// prints:
// 100
// 101

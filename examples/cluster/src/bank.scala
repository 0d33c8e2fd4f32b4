import com.typesafe.config.ConfigFactory
import java.util.concurrent.atomic.AtomicInteger
import org.apache.pekko.actor.BootstrapSetup
import org.apache.pekko.actor.setup.ActorSystemSetup
import org.apache.pekko.actor.typed
import org.apache.pekko.cluster.ClusterEvent.{MemberEvent, MemberRemoved, MemberUp}
import org.apache.pekko.cluster.sharding.typed.scaladsl.{ClusterSharding, Entity, EntityTypeKey}
import org.apache.pekko.cluster.typed.{Cluster, Subscribe}
import scala.concurrent.{Await, Promise}
import scala.concurrent.duration.*
import undercroft.actor.*
import undercroft.pekko.*

enum Account derives MessageCodec:
  case Deposit(amount: Long, to: Reply[Receipt])
  case Withdraw(amount: Long, to: Reply[Receipt])
  case Read(to: Reply[Receipt])

final case class Receipt(isDone: Boolean, balance: Long) derives MessageCodec

/** The number of accounts that this node has started. */
val startedHere = AtomicInteger()

def account: Behavior[Account] = Behavior.setup: // for each entity, on the node that has its shard
  startedHere.incrementAndGet()
  var balance = 0L
  Behavior.receive:
    case Account.Deposit(amount, to) =>
      balance += amount
      to ! Receipt(true, balance)
      Behavior.same
    case Account.Withdraw(amount, to) =>
      val isCovered = amount <= balance
      if isCovered then balance -= amount
      to ! Receipt(isCovered, balance)
      Behavior.same
    case Account.Read(to) =>
      to ! Receipt(true, balance)
      Behavior.same

val accounts = EntityTypeKey[Account]("Account")

/** Called on each node. */
def openBank()(using system: typed.ActorSystem[?]): Unit =
  val _ = ClusterSharding(system).init(Entity(accounts)(_ => account.toPekko()))

/** An account by its number, on any node. */
def accountOf(number: Int)(using system: typed.ActorSystem[?]): ActorRef[Account] =
  ClusterSharding(system).entityRefFor(accounts, s"account-$number").toUndercroft

def startNode(node: Int, ports: Seq[Int]): typed.ActorSystem[Nothing] =
  val config = ConfigFactory
    .parseString(s"""
      pekko.remote.artery.canonical.port = ${ports(node - 1)}
      pekko.cluster.seed-nodes = ["pekko://bank@127.0.0.1:${ports(0)}"]
    """)
    .withFallback(ConfigFactory.load("bank")) // bank.conf
  val messages = UndercroftSerialization(MessageCodec[Account], MessageCodec[Receipt])
  val setup = ActorSystemSetup(BootstrapSetup(config), messages)
  typed.ActorSystem[Nothing](
    typed.scaladsl.Behaviors.empty[Nothing],
    "bank",
    setup,
    typed.Props.empty
  )

/** Completes `isUp` when both nodes are up, and `hasLeft` when one of them has left. */
def members(isUp: Promise[Unit], hasLeft: Promise[Unit]): Behavior[MemberEvent] = Behavior.setup:
  var count = 0
  Behavior.receive:
    case _: MemberUp =>
      count += 1
      if count == 2 then isUp.trySuccess(())
      Behavior.same
    case _: MemberRemoved =>
      hasLeft.trySuccess(())
      Behavior.same
    case _ => Behavior.same

/** Moves `amount` between two accounts, if the first one covers it. */
def transfer(amount: Long, from: ActorRef[Account], to: ActorRef[Account]): Boolean =
  val isCovered = from.ask[Receipt](30.seconds)(Account.Withdraw(amount, _)).isDone
  if isCovered then to.ask[Receipt](30.seconds)(Account.Deposit(amount, _))
  isCovered

/** Node 2 makes transfers between accounts on both nodes, and leaves. Then node 1 ends, too. */
@main def bank(node: Int, ports: Int*): Unit =
  given system: typed.ActorSystem[Nothing] =
    startNode(node, if ports.isEmpty then Seq(25521, 25522) else ports)
  val (isUp, hasLeft) = (Promise[Unit](), Promise[Unit]())
  val watcher = system.systemActorOf(members(isUp, hasLeft).toPekko(), "members")
  Cluster(system).subscriptions ! Subscribe(watcher, classOf[MemberEvent])
  openBank()
  Await.result(isUp.future, 5.minutes)
  if node == 2 then
    for number <- 0 until 100 do
      accountOf(number).ask[Receipt](30.seconds)(Account.Deposit(1000, _))
    val done =
      (0 until 2000).count(n => transfer(n % 700, accountOf(n % 100), accountOf(n * 7 % 100)))
    val sum = (0 until 100).map(accountOf(_).ask[Receipt](30.seconds)(Account.Read(_)).balance).sum
    println(s"$done of 2000 transfers were covered, the sum is $sum")
  else Await.result(hasLeft.future, 5.minutes)
  println(s"node $node started $startedHere of 100 accounts")
  system.terminate() // leaves the cluster
  Await.result(system.whenTerminated, 1.minute)

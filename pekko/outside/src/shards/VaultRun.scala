package outside.pekko.shards

import java.nio.file.Path
import java.util.concurrent.locks.LockSupport
import org.apache.pekko.actor.typed
import org.apache.pekko.cluster.MemberStatus
import org.apache.pekko.cluster.typed.Cluster
import outside.pekko.{FarProcess, Links}
import scala.concurrent.Await
import scala.concurrent.duration.*
import scala.util.Random
import undercroft.actor.*

/** The bank on three nodes, each a process, that are killed, leave, or lose their connections to
  * the others, one after the other, while the tellers work, and start again. A fourth node, this
  * process, has no entities: it repeats `Work`.
  */
final class VaultRun(folder: Path, accounts: Int, seed: Long, say: String => Unit):
  private val opening = 1000L
  private val random = Random(seed)
  private val links = Links(4)
  private given office: typed.ActorSystem[Nothing] =
    VaultNode.start("office", links.port(0), links.port(0), links.config(0))
  private var nodes = Vector.empty[FarProcess]

  var kills, departures, partitions = 0

  /** The nodes that the others removed because their heartbeats were late, on a busy machine. */
  private var removals = 0

  /** The number of nodes that this run has ended. */
  def ends: Int = kills + departures + partitions

  override def toString: String =
    s"$kills kills, $departures departures, $partitions partitions, $removals removals"

  private def members: Int = Cluster(office).state.members.count(_.status == MemberStatus.Up)

  private def until(what: String, patience: FiniteDuration = 3.minutes)(condition: => Boolean) =
    val end = System.nanoTime + patience.toNanos
    while !condition && System.nanoTime < end do LockSupport.parkNanos(20_000_000)
    if !condition then throw AssertionError(s"seed $seed: after $patience it is not so: $what")

  private def spawn(node: Int): FarProcess =
    val (port, seed) = (links.port(node + 1), links.port(0))
    VaultNode.spawn(port, seed, links.config(node + 1), folder, accounts, opening)

  /** Makes `last` transfers by each teller. Meanwhile nodes end and start again, `endings` times,
    * at equal distances in the number of transfers.
    */
  def work(last: Long, endings: Int, limit: FiniteDuration): Unit =
    Vault.open(folder, accounts, opening)
    nodes = Vector.tabulate(3)(spawn)
    until("four members are up")(members == 4)
    val tellers = Vault.tellerRefs
    val total = last * tellers.size
    val done = Array.fill(tellers.size)(0L)
    val end = System.nanoTime + limit.toNanos
    var reported = System.nanoTime
    while done.sum < total do
      if System.nanoTime > end then
        throw AssertionError(s"seed $seed: after $limit transfers are made: ${done.toSeq}")
      for (teller, n) <- tellers.zipWithIndex if done(n) < last do teller ! Vault.Teller.Work(last)
      LockSupport.parkNanos(500_000_000)
      readProgress(tellers, done, last)
      if System.nanoTime - reported > 10_000_000_000L then
        reported = System.nanoTime
        say(s"${done.sum} transfers, $this")
      startEndedAgain()
      if ends < endings && done.sum >= total * (ends + 1) / (endings + 1) then endOne()
  end work

  /** Asks the tellers that have not finished, until one of them does not reply. */
  private def readProgress(
      tellers: Vector[ActorRef[Vault.Teller]],
      done: Array[Long],
      last: Long
  ): Unit =
    try
      for (teller, n) <- tellers.zipWithIndex if done(n) < last do
        done(n) = teller.ask[Long](2.seconds)(Vault.Teller.Read(_))
    catch case _: AskTimeoutException => ()

  /** Ends a node in one of three ways, all of which come in turn, and starts it again. */
  private def endOne(): Unit =
    val node = random.nextInt(nodes.size)
    ends % 3 match
      case 0 =>
        nodes(node).kill()
        kills += 1
      case 1 =>
        links.set(Set(node + 1), Links.State.Broken)
        expectEnd(node, "did not stop when it was alone")
        links.set(Set(node + 1), Links.State.Open)
        partitions += 1
      case 2 =>
        nodes(node).leave()
        expectEnd(node, "did not leave")
        departures += 1
    until("the node is removed")(members <= 3)
    nodes = nodes.updated(node, spawn(node))
    until("all nodes are members again"):
      startEndedAgain()
      members == 4
  end endOne

  private def startEndedAgain(): Unit =
    for node <- nodes.indices if !nodes(node).isAlive do
      expectEnd(node, "failed")
      removals += 1
      nodes = nodes.updated(node, spawn(node))

  private def expectEnd(node: Int, problem: String): Unit =
    if nodes(node).exitCode != Some(VaultNode.Left) then
      throw AssertionError(s"seed $seed: node $node $problem: ${nodes(node).exitCode}")

  /** The sum of all accounts. */
  def sum: Long =
    val refs = Vault.accountRefs(accounts)
    refs.map(account => read(account)).sum

  private def read(account: ActorRef[Vault.Account]): Long =
    var balance: Option[Long] = None
    until("an account replies"):
      try balance = Some(account.ask[Long](5.seconds)(Vault.Account.Read(_)))
      catch case _: AskTimeoutException => ()
      balance.isDefined
    balance.get

  def expectedSum: Long = accounts * opening

  /** Lets all nodes leave. */
  def close(): Unit =
    for node <- nodes do node.leave()
    for node <- nodes do
      if node.exitCode.isEmpty then node.kill()
    office.terminate()
    Await.ready(office.whenTerminated, 2.minutes): Unit
    links.close()
end VaultRun

/** `VaultRun TRANSFERS [ENDINGS [SEED]]`: makes as many transfers while nodes end, 30 times by
  * default, then compares the sum, and the events of all accounts with the transfers.
  */
object VaultRun:
  def main(args: Array[String]): Unit =
    val transfers = args(0).toLong
    val endings = args.lift(1).fold(30)(_.toInt)
    val seed = args.lift(2).fold(Random.nextLong())(_.toLong)
    val folder = java.nio.file.Files.createTempDirectory("undercroft-vault-")
    val began = System.nanoTime
    println(s"seed $seed, folder $folder")
    val accounts = 1000
    val run = VaultRun(folder, accounts, seed, println(_))
    val last = (transfers + Vault.Tellers - 1) / Vault.Tellers
    try
      try
        run.work(last, endings, 10.hours)
        println(s"sum ${run.sum}, expected ${run.expectedSum}")
        assert(run.sum == run.expectedSum)
      finally run.close()
      val audit = VaultAudit(folder, accounts, last).run()
      val seconds = (System.nanoTime - began) / 1_000_000_000
      println(s"$audit; $run, $seconds s with the audit")
    finally VaultAudit.delete(folder)
  end main
end VaultRun

package outside.actor.persistence

import java.io.{BufferedReader, InputStreamReader}
import java.nio.file.Path
import java.util.concurrent.TimeUnit
import scala.concurrent.duration.*
import scala.util.{Random, Using}
import undercroft.actor.*
import undercroft.actor.persistence.*
import undercroft.file.format.Durability

/** A process that stores events is killed at random moments. */
class KillsTest extends BankSuite:
  private val Kills = 20

  test("a killed process loses no answered event, invents none and doubles none".tag(LongTest)):
    val seed = Random.nextLong()
    println(s"seed $seed")
    val random = Random(seed)
    inFolder: folder =>
      var answered = Vector.fill(Writer.Accounts)(0L)
      var kills = 0
      while kills < Kills do
        val (lastAnswered, lastSent) = killed(folder, random)
        for id <- 0 until Writer.Accounts do
          assert(lastAnswered(id) >= answered(id), s"account $id went back")
        val stored = recovered(folder)
        for id <- 0 until Writer.Accounts do
          assert(
            stored(id) >= lastAnswered(id) && stored(id) <= lastSent(id),
            s"kill $kills: account $id has ${stored(id)} events; answered ${lastAnswered(id)}, " +
              s"sent ${lastSent(id)}"
          )
        answered = stored
        kills += 1
      assert(answered.sum > 100, s"$answered events")
      println(s"$Kills kills, ${answered.sum} events, none lost")

  /** Starts a writer, kills it, and returns the last event of each account that it was answered and
    * the last one that it sent.
    */
  private def killed(folder: Path, random: Random): (Vector[Long], Vector[Long]) =
    val before = recovered(folder)
    val process = start(folder, Durability.values.apply(random.nextInt(2)))
    val (answered, sent) = (before.toArray, before.map(_ + Writer.Waiting).toArray)
    def read(line: String): Unit = line.split(' ') match
      case Array("answered", id, n) =>
        answered(id.toInt) = answered(id.toInt).max(n.toLong)
        sent(id.toInt) = sent(id.toInt).max(n.toLong + Writer.Waiting)
      case _ => throw AssertionError(s"the process printed: $line")
    val out = BufferedReader(InputStreamReader(process.getInputStream))
    try
      var left = 1 + random.nextInt(300)
      while left > 0 do
        val line = out.readLine()
        if line == null then throw AssertionError("the process ended by itself")
        read(line)
        left -= 1
      for _ <- 0 until random.nextInt(200_000) do Thread.onSpinWait()
    finally
      process.toHandle.destroyForcibly(): Unit
      assert(process.waitFor(1, TimeUnit.MINUTES), "the killed process does not end")
    var line = out.readLine()
    while line != null do
      if line.count(_ == ' ') == 2 && line.last.isDigit then read(line)
      line = out.readLine()
    (answered.toVector, sent.toVector)
  end killed

  private def start(folder: Path, durability: Durability): Process =
    val flags = Seq("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
    val path =
      Seq("--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"))
    val command = flags ++ path ++ Seq(
      "outside.actor.persistence.Writer",
      s"$folder",
      durability.name
    )
    undercroft.tools.ChildJvm.builder(
      command*
    ).redirectError(ProcessBuilder.Redirect.INHERIT).start()

  /** The number of movements of each account. The balance shows that none is doubled or missing:
    * event n deposits n. The journal's own order of events ends at the same numbers.
    */
  private def recovered(folder: Path): Vector[Long] =
    Using.resource(Writer.open(folder)): journal =>
      withSystem:
        Vector.tabulate(Writer.Accounts): id =>
          val state = spawn(Writer.account(journal, id)).ask[Account](1.minute)(Writer.State(_))
          assertEquals(state.balance, state.movements * (state.movements + 1) / 2)
          val own = journal.tagged(_ => true).filter(_.id == id).toVector
          val numbers = own.map(_.number)
          assertEquals(numbers, numbers.sorted.distinct)
          assertEquals(numbers.lastOption.getOrElse(0L), state.movements)
          assertEquals(own.map(_.event), numbers.map(Movement.Deposited(_)))
          state.movements
end KillsTest

/** Stores events until it is killed, and prints each one that was answered. */
object Writer:
  val Accounts = 8

  /** The commands of each account that wait at a time. */
  val Waiting = 5

  enum Write:
    case Next(to: ActorRef[(Long, Long)])
    case State(to: ActorRef[Account])
  export Write.*

  def open(
      folder: Path,
      durability: Durability = Durability.VOLATILE
  ): Journal[Movement, Account] = Bank.open(
    folder,
    durability,
    Retention.SinceSnapshot,
    Journal.MinSegmentBytes
  )

  /** Event n of an account deposits n. */
  def account(journal: Journal[Movement, Account], id: Long): Behavior[Write] =
    // The events of even accounts are stored together.
    val commandsPerCommit = if id % 2 == 0 then Waiting else 1
    Persistent(journal, id, Account(0, 0), 7, commandsPerCommit = commandsPerCommit)(
      command = (account, write) =>
        write match
          case Next(to) =>
            Effect
              .persist(Movement.Deposited(account.movements + 1))
              .thenReply(to)(account => (id, account.movements))
          case State(to) => Effect.none.thenReply(to)(account => account),
      event = Bank.applied
    )

  def main(args: Array[String]): Unit =
    val journal = open(Path.of(args(0)), Durability.valueOf(args(1)))
    val system = ActorSystem("writer")
    given ActorSystem = system
    val accounts = Vector.tabulate(Accounts)(id => spawn(account(journal, id)))
    spawn(Behavior.setup[(Long, Long)]:
      for account <- accounts; _ <- 1 to Waiting do account ! Next(context.self)
      Behavior.receive: (id, n) =>
        println(s"answered $id $n")
        accounts(id.toInt) ! Next(context.self)
        Behavior.same)
    java.util.concurrent.CountDownLatch(1).await(10, TimeUnit.MINUTES): Unit // it is killed before
end Writer

package outside.actor.persistence

import java.io.RandomAccessFile
import scala.concurrent.duration.*
import scala.util.{Random, Using}
import undercroft.actor.*
import undercroft.actor.persistence.*
import undercroft.actor.testkit.*

/** Events by tag and offset, in journals of files and in memory. */
class TaggedEventsTest extends BankSuite:
  import Command.*
  import Movement.*

  private val isLarge = (movement: Movement) =>
    movement match
      case Deposited(amount) => amount >= 500
      case Withdrawn(amount) => amount >= 500

  private val isAny = (_: Movement) => true

  /** Lets `accounts` accounts store `count` deposits of random amounts, in turns. */
  private def deposits(journal: Journal[Movement, Account], accounts: Int, count: Int, seed: Int)(
      using ActorSystem
  ): Vector[(Long, Movement)] =
    val random = Random(seed)
    val actors = Vector.tabulate(accounts)(id => spawn(Bank.account(journal, id)))
    val stored = Vector.fill(count):
      val (id, amount) = (random.nextInt(accounts), random.nextInt(1000).toLong)
      actors(id).deposit(amount): Unit
      (id.toLong, Deposited(amount))
    for actor <- actors do actor.close(): Unit
    stored

  private def stored(event: StoredEvent[Movement]): (Long, Movement) = (event.id, event.event)

  private def assertNumbered(events: Seq[StoredEvent[Movement]]): Unit =
    val offsets = events.map(_.offset)
    assertEquals(offsets, offsets.sorted.distinct)
    for (id, own) <- events.groupBy(_.id) do
      assertEquals(own.map(_.number), (1L to own.size.toLong), s"account $id")

  test("events are read by tag from any offset on, also after the journal was opened again"):
    inFolder: folder =>
      // A record has 48 bytes, so there are several segments, and several parts of one.
      def open() = Bank.open(folder, segmentBytes = Journal.MinSegmentBytes)
      val (first, all) = Using.resource(open()): journal =>
        withSystem:
          assertEquals(journal.tagged(isAny).toVector, Vector())
          val expected = deposits(journal, 3, 4000, seed = 1)
          val all = journal.tagged(isAny).toVector
          assertEquals(all.map(stored), expected)
          assertNumbered(all)
          val large = journal.tagged(isLarge).toVector
          assertEquals(large, all.filter(event => isLarge(event.event)))
          assert(large.size > 1000 && large.size < 3000, s"${large.size} large ones")
          (expected, all)
      Using.resource(open()): journal =>
        withSystem:
          assertEquals(journal.tagged(isAny).toVector, all)
          for from <- all.indices by 97 do
            val rest = journal.tagged(isLarge, from = all(from).offset).toVector
            assertEquals(rest, all.drop(from).filter(event => isLarge(event.event)))
          val next = all.last.offset + 1
          assertEquals(journal.tagged(isAny, from = next).toVector, Vector())
          val more = deposits(journal, 3, 50, seed = 2)
          assertEquals(journal.tagged(isAny, from = next).map(stored).toVector, more)
          assertEquals(journal.tagged(isAny).map(stored).toVector, first ++ more)

  test("a reader that follows a journal reads each event once, while actors store"):
    inFolder: folder =>
      Using.resource(Bank.open(folder, segmentBytes = Journal.MinSegmentBytes)): journal =>
        withSystem:
          val (accounts, each) = (4, 1000)
          val ignore = spawn(Behavior.ignore[String])
          for id <- 0 until accounts do
            val account = spawn(Bank.account(journal, id))
            for n <- 1 to each do account ! Deposit(n, ignore)
          var events = Vector.empty[StoredEvent[Movement]]
          until(s"${accounts * each} events were read"):
            events ++= journal.tagged(isAny, from = events.lastOption.fold(0L)(_.offset + 1))
            events.size >= accounts * each
          assertNumbered(events)
          for (id, own) <- events.groupBy(_.id) do
            assertEquals(own.map(_.event), (1 to each).map(n => Deposited(n)), s"account $id")

  test("a reader is not disturbed by the deletion of segments, and reads the events that are left"):
    inFolder: folder =>
      def open() = Bank.open(
        folder,
        retention = Retention.SinceSnapshot,
        segmentBytes = Journal.MinSegmentBytes
      )
      Using.resource(open()): journal =>
        withSystem:
          val expected = deposits(journal, 1, 2500, seed = 3)
          val events = journal.tagged(isAny)
          val first = events.next()
          assert(first.number > 1, s"the first event is ${first.number}")
          deposits(journal, 1, 5000, seed = 4): Unit
          val rest = events.toVector
          val all = first +: rest
          assertEquals(all.map(_.offset), all.map(_.offset).sorted.distinct)
          for event <- all do assertEquals(stored(event), expected(event.number.toInt - 1))
          assert(journal.tagged(isAny).next().number > 2500)

  test("the events before a corrupt one are read, then the reader fails"):
    inFolder: folder =>
      withJournal(folder): journal =>
        withSystem:
          deposits(journal, 1, 10, seed = 5): Unit
          val offset = journal.tagged(isAny).toVector(7).offset
          val file = RandomAccessFile(
            folder.resolve("events-0000000001.struct").toFile,
            "rw"
          )
          // Row 7 of the file, whose rows are at its end: the amount of its event.
          val rowBytes = 48
          try
            val at = dataStart(file, rowBytes) + 7L * rowBytes + rowBytes - 8
            file.seek(at)
            val value = file.read()
            file.seek(at)
            file.write(value ^ 1)
          finally file.close()
          val events = journal.tagged(isAny)
          assertEquals(Vector.fill(7)(events.next().number), (1L to 7L).toVector)
          for _ <- 1 to 2 do
            assertEquals(failure(events.hasNext).kind, JournalException.Kind.Corrupt)
          assertEquals(journal.tagged(isAny, from = offset + 1).map(_.number).toList, List(9L, 10L))

  /** The place of the first row: that of its persistence id 0, number 1 and no previous event. */
  private def dataStart(file: RandomAccessFile, rowBytes: Int): Long =
    val bytes = new Array[Byte](64 * 1024)
    val count = file.read(bytes)
    def word(at: Int) = (0 until 8).map(i => (bytes(at + i) & 0xffL) << (8 * i)).sum
    val starts = (0 until count - 2 * rowBytes by 8).filter: at =>
      word(at) == 0 && word(at + 8) == 1 && word(at + 16) == 0 &&
        word(at + rowBytes) == 0 && word(at + rowBytes + 8) == 2
    assertEquals(starts.size, 1)
    starts.head.toLong

  test("a closed journal and a negative offset are refused"):
    inFolder: folder =>
      val journals = List(Bank.open(folder), Journal.inMemory[Movement, Account]())
      for journal <- journals do
        withSystem(deposits(journal, 1, 3, seed = 6)): Unit
        assertEquals(
          intercept[IllegalArgumentException](journal.tagged(isAny, from = -1)).getMessage,
          "from must be at least 0, but is -1"
        )
        val events = journal.tagged(isAny)
        journal.close()
        assertEquals(failure(journal.tagged(isAny)).kind, JournalException.Kind.Closed)
        if journal eq journals.head then
          assertEquals(failure(events.hasNext).kind, JournalException.Kind.Closed)

  test("in a simulation a journal in memory has the same events by tag and offset"):
    simulate(seeds = 100):
      val journal = Journal.inMemory[Movement, Account](latency = 2.millis)
      val probe = Probe[String]()
      val accounts = Vector.tabulate(3)(id => spawn(Bank.account(journal, id)))
      for n <- 1 to 20; account <- accounts do account ! Deposit(n * 40, probe.ref)
      simulation.advance(1.second)
      val all = journal.tagged(isAny).toVector
      assertEquals(all.size, 60)
      assertNumbered(all)
      for id <- 0 to 2 do assertEquals(all.filter(_.id == id).map(_.event), journal.events(id))
      val from = all(simulation.nextInt(60)).offset
      assertEquals(
        journal.tagged(isLarge, from).toVector,
        all.filter(event => event.offset >= from && isLarge(event.event))
      )
end TaggedEventsTest

package outside.actor

import java.util.concurrent.{ConcurrentLinkedQueue, TimeUnit}
import java.util.logging.{Handler, Level, LogRecord, Logger}
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*
import undercroft.actor.*

/** The log lines about dead letters, if the user chose no listener. */
class DeadLetterLogTest extends undercroft.tools.Suite:
  private val Lost = 1000

  /** The log lines about dead letters while `body` runs. */
  private def lines(body: => Unit): List[String] =
    val messages = ConcurrentLinkedQueue[String]()
    val handler = new Handler:
      def publish(record: LogRecord): Unit =
        if record.getLevel == Level.WARNING then messages.add(record.getMessage.nn): Unit
      def flush(): Unit = ()
      def close(): Unit = ()
    val logger = Logger.getLogger("undercroft.actor").nn
    logger.setUseParentHandlers(false)
    logger.addHandler(handler)
    try body
    finally
      logger.removeHandler(handler)
      logger.setUseParentHandlers(true)
    messages.asScala.toList.filter(_.contains("not handled"))

  test("dead letters are logged at once and then once per interval, and all are counted"):
    val from = System.nanoTime
    val log = lines:
      ActorSystem.scoped("bank", workers = 1):
        DeadLetterLogTest.lose(Lost)
    val seconds = (System.nanoTime - from) / 1_000_000_000L
    assert(log.nonEmpty && log.size <= 3 + seconds / 10, log)
    for line <- log do
      assert(line.matches("bank: [0-9]+ messages? (was|were) not handled: .*"), line)
      assert(line.contains(" Stopped; last: java.lang.Integer to account."), line)
    assertEquals(log.map(DeadLetterLogTest.countIn).sum, Lost)

  test("dead letters after the end of a system are logged"):
    val log = lines:
      val system = ActorSystem("bank", workers = 1)
      given ActorSystem = system
      val account = spawn(Behavior.ignore[Int], "account")
      DeadLetterLogTest.lose(3)
      assert(system.shutdown(1.minute, 1.minute))
      for n <- 1 to Lost do account ! n
    // At least the first one: the others are logged with one after the interval.
    assert(log.map(DeadLetterLogTest.countIn).sum > 3, log)

  test("the log line counts dead letters by reason"):
    val log = lines:
      ActorSystem.scoped("bank", workers = 1):
        val system = summon[ActorSystem]
        val picky = spawn(
          Behavior.receive[Int] {
            case 0 => Behavior.same
            case _ => Behavior.unhandled
          },
          "picky"
        )
        for n <- 0 to 3 do picky ! n
        assert(system.awaitQuiescence(1.minute))
        DeadLetterLogTest.lose(2)
    val text = log.mkString("\n")
    assert(text.contains("Unhandled") && text.contains("Stopped"), text)

  test("a system without dead letters logs nothing"):
    val log = lines:
      ActorSystem.scoped("bank", workers = 1):
        spawn(Behavior.ignore[Int]) ! 1
    assertEquals(log, Nil)

  test("a system property turns the dead letter log off"):
    def output(options: String*): String =
      val command = Seq("-Xmx256m", "--enable-native-access=ALL-UNNAMED") ++ options ++
        Seq("-cp", System.getProperty("java.class.path").nn, "outside.actor.LoseMessages")
      val file = java.nio.file.Files.createTempFile("undercroft", ".out").nn
      try
        val process = undercroft.tools.ChildJvm.builder(command*).redirectErrorStream(true)
          .redirectOutput(file.toFile).start()
        if !process.waitFor(5, TimeUnit.MINUTES) then
          process.destroyForcibly()
          fail("the JVM does not end")
        val text = java.nio.file.Files.readString(file).nn
        assertEquals(process.exitValue, 0, text)
        text
      finally java.nio.file.Files.delete(file)
    val on = output()
    val counts = on.linesIterator.filter(_.contains("not handled")).map(DeadLetterLogTest.countIn)
    assertEquals(counts.sum, 4, on)
    val off = output("-Dundercroft.actor.deadLetterMillis=0")
    assert(!off.contains("not handled") && off.contains("done"), off)
end DeadLetterLogTest

object DeadLetterLogTest:
  /** The number of messages that a line reports. */
  def countIn(line: String): Int = line.split("bank: ").last.takeWhile(_.isDigit).toInt

  /** Sends `count` messages to an actor that has stopped. */
  def lose(count: Int)(using system: ActorSystem): Unit =
    val account = spawn(Behavior.receive[Int](_ => Behavior.stopped), "account")
    account ! 0
    assert(system.awaitQuiescence(1.minute))
    for n <- 1 to count do account ! n

object LoseMessages:
  def main(args: Array[String]): Unit =
    ActorSystem.scoped("bank", workers = 1)(DeadLetterLogTest.lose(4))
    println("done")

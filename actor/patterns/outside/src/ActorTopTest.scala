package outside.actor.patterns

import java.io.{ByteArrayOutputStream, OutputStream, PrintStream}
import java.util.concurrent.CountDownLatch
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*
import undercroft.actor.*
import undercroft.actor.patterns.*

/** Views of systems that stop, of no lines, and on outputs that fail. */
class ActorTopTest extends PatternSuite:

  /** Collects frames, and counts a latch down for each. */
  private final class Frames(drawn: CountDownLatch) extends OutputStream:
    private val bytes = ByteArrayOutputStream()
    def write(byte: Int): Unit = bytes.write(byte)
    override def flush(): Unit = if bytes.size > 0 then drawn.countDown()
    override def toString: String = bytes.toString

  private def viewThread: Option[Thread] =
    Thread.getAllStackTraces.keySet.asScala.find(_.getName == "patterns-view")

  test("a view draws the actors with their messages until it is closed"):
    withSystem:
      val drawn = CountDownLatch(3)
      val output = Frames(drawn)
      spawn(Router.pool(3)(Behavior.ignore[Int]), "sums") ! 1
      val view = ActorTop.of(system, 1.milli, out = PrintStream(output))
      await(drawn)
      view.close()
      val drawing = output.toString
      for column <- List("patterns: 4 actors", "sums", "waiting", "busy") do
        assert(drawing.contains(column), drawing)
      assertEquals(viewThread, None)
      view.close()
      assertEquals(output.toString, drawing)

  test("a view of a system that is shut down ends, and can be closed"):
    val system = ActorSystem("patterns", 1, _ => ())
    val drawn = CountDownLatch(1)
    val view = ActorTop.of(system, 1.milli, out = PrintStream(Frames(drawn)))
    await(drawn)
    assert(system.shutdown(1.minute, 1.minute))
    viewThread.foreach(join)
    view.close()
    val late = ActorTop.of(system, 1.milli)
    viewThread.foreach(join)
    late.close()

  test("a view measures the time in handlers until it is closed"):
    withSystem:
      val actor = spawn(Behavior.ignore[Int], "actor")
      def busyNanos = system.tree.rows.map(_.busyNanos).sum
      def sendAll(): Unit =
        for n <- 1 to 1000 do actor ! n
        quiet()
      sendAll()
      assertEquals(busyNanos, 0L)
      val views = List.fill(2)(ActorTop.of(system, 1.hour))
      sendAll()
      val first = busyNanos
      assert(first > 0)
      views.head.close()
      sendAll()
      val second = busyNanos
      assert(second > first, "the other view is open")
      views.last.close()
      sendAll()
      assertEquals(busyNanos, second)

  test("a view whose output throws ends, and can be closed"):
    withSystem:
      val failed = CountDownLatch(1)
      val output = new PrintStream(OutputStream.nullOutputStream):
        override def print(text: String): Unit =
          failed.countDown()
          throw InternalError("the terminal has gone; this stack trace is expected")
      val view = ActorTop.of(system, 1.milli, out = output)
      await(failed)
      view.close()
      assertEquals(viewThread, None)

  for lines <- List(0, -1) do
    test(s"a view of $lines lines is an error with the least number and the given number"):
      withSystem:
        val error = intercept[IllegalArgumentException](ActorTop.of(system, lines = lines))
        assertEquals(error.getMessage, s"lines must be at least 1, but is $lines")

  for every <- List(0.seconds, -1.second) do
    test(s"a view that is redrawn every $every is an error with the least and the given time"):
      withSystem:
        val error = intercept[IllegalArgumentException](ActorTop.of(system, every))
        assertEquals(error.getMessage, s"every must be at least 1 ns, but is $every")

  test("a frame of a tree without actors and a frame of no lines have their title"):
    withSystem:
      val header = "actor  state  waiting  stashed  handled  failed  dead  restarts  msg/s  busy"
      assertEquals(
        ActorTop.frame(system.tree, 5),
        s"patterns: 0 actors, 0 waiting, 0 messages a second\n\n$header\n"
      )
      spawn(Behavior.ignore[Int], "a")
      spawn(Behavior.ignore[Int], "b")
      quiet()
      assertEquals(
        ActorTop.frame(system.tree, 0),
        s"patterns: 2 actors, 0 waiting, 0 messages a second\n\n$header\nand 2 more\n"
      )
  test("a view of a null system leaves nothing switched on"):
    withSystem:
      intercept[NullPointerException](ActorTop.of(null)): Unit
      val actor = spawn(Behavior.ignore[Int], "actor")
      for n <- 1 to 1000 do actor ! n
      quiet()
      val busyNanos = system.tree.rows.map(_.busyNanos).sum
      if busyNanos > 0 then ActorSystem.recordHandlerTimes(false)
      assertEquals(busyNanos, 0L)
end ActorTopTest

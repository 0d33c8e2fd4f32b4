package undercroft.actorparts

import java.io.{ByteArrayOutputStream, PrintStream}
import scala.concurrent.duration.*
import undercroft.actor.*

class LiveViewTest extends undercroft.house.Suite:

  private def row(name: String, number: Long, handled: Long, waiting: Long = 0) = Tree.Row(
    name,
    number,
    parent = -1,
    depth = 0,
    "running",
    waiting,
    stashed = 0,
    handled,
    failed = 0,
    dead = 0,
    restarts = 0,
    busyNanos = 0
  )

  test("a frame shows the busiest, in the order of the tree, and says how many there are"):
    val before = Tree("shop", 0, 0, Vector(row("a", 1, 0), row("b", 2, 0), row("c", 3, 0)))
    val now =
      Tree("shop", 2_000_000_000L, 0, Vector(row("a", 1, 10, 5), row("b", 2, 2), row("c", 3, 30)))
    assertEquals(
      LiveView.frame(now.since(before), 2),
      """shop: 3 actors, 5 waiting, 21 messages a second
        |
        |actor  state    waiting  stashed  handled  failed  dead  restarts  msg/s  busy
        |a      running        5        0       10       0     0         0      5  0.0%
        |c      running        0        0       30       0     0         0     15  0.0%
        |and 1 more
        |""".stripMargin
    )

  test("a view is drawn until it is closed"):
    val system = ActorSystem("shown", 1)
    val drawn = ByteArrayOutputStream()
    try
      spawn(Behavior.ignore[Int], "counter")(using system) ! 1
      val view = LiveView.of(system, 1.milli, out = PrintStream(drawn, true))
      val until = System.nanoTime + 1.minute.toNanos
      while !drawn.toString.contains("counter") && System.nanoTime < until do Thread.onSpinWait()
      view.close()
      view.close()
      assert(drawn.toString.contains("counter"), drawn.toString)
    finally system.close()

  test("a view of no lines is refused"):
    val system = ActorSystem("unseen", 1)
    try
      val e = intercept[IllegalArgumentException](LiveView.of(system, lines = 0))
      assertEquals(e.getMessage, "a view of 0 lines every 1 second")
    finally system.close()
end LiveViewTest

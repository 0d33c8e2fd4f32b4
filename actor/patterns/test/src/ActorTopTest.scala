package undercroft.actor.patterns

import java.util.Locale
import undercroft.actor.*

class ActorTopTest extends undercroft.tools.Suite:

  private def row(name: String, number: Long, handled: Long, waiting: Long = 0) = ActorTree.Row(
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

  test("a frame shows the busiest actors in tree order, in each locale alike"):
    val before = ActorTree("shop", 0, 0, Vector(row("a", 1, 0), row("b", 2, 0), row("c", 3, 0)))
    val now =
      ActorTree(
        "shop",
        2_000_000_000L,
        0,
        Vector(row("a", 1, 10, 5), row("b", 2, 2), row("c", 3, 30))
      )
    for tag <- List("", "de-DE", "ar-EG") do
      val locale = Locale.getDefault
      Locale.setDefault(Locale.forLanguageTag(tag))
      val frame =
        try ActorTop.frame(now.since(before), 2)
        finally Locale.setDefault(locale)
      assertEquals(
        frame,
        """shop: 3 actors, 5 waiting, 21 messages a second
          |
          |actor  state    waiting  stashed  handled  failed  dead  restarts  msg/s  busy
          |a      running        5        0       10       0     0         0      5  0.0%
          |c      running        0        0       30       0     0         0     15  0.0%
          |and 1 more
          |""".stripMargin,
        tag
      )
end ActorTopTest

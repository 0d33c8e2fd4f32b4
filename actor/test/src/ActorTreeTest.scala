package undercroft.actor

/** The tree of a system's actors with their states and counts. */
class ActorTreeTest extends EveryModel:

  /** A parent with two children: "quiet", and "fragile", which fails at "fail" and stashes the
    * rest.
    */
  private def family(using Stage): ActorRef[String] = stage.start(
    Behavior.setup[String]:
      val quiet = spawn(Behavior.ignore[String], "quiet", stage.run)
      val fragile = spawn(
        Behavior
          .setup[String]:
            Behavior.receive:
              case "fail" => throw Exception("fail")
              case "odd"  => Behavior.unhandled
              case _      => context.stash(); Behavior.same
          .supervised { case _ => Supervision.Restart() },
        "fragile",
        stage.run
      )
      Behavior.receive: s =>
        quiet ! s
        fragile ! s
        Behavior.same
    ,
    "parent"
  )

  private def row(tree: ActorTree, name: String): ActorTree.Row = tree.rows.find(_.name == name).get

  onEveryModel("ActorSystem.observe.tree lists each actor below its parent with its counts"):
    val parent = family
    for s <- List("a", "fail", "odd", "b") do parent ! s
    stage.quiet()
    val tree = stage.system.observe.tree
    assertEquals(
      tree.rows.map(row => (row.name, row.depth)),
      Vector(
        ("parent", 0),
        ("quiet", 1),
        ("fragile", 1)
      )
    )
    val up = row(tree, "parent").number
    assertEquals(tree.rows.map(_.parent), Vector(-1L, up, up))
    val fragile = row(tree, "fragile")
    assertEquals(
      (fragile.handled, fragile.failed, fragile.stashed, fragile.dead, fragile.restarts),
      (0L, 1L, 2L, 1L, 1L)
    )
    assertEquals(fragile.state, "running")
    assertEquals(row(tree, "quiet").handled, 4L)

  onEveryModel("ActorTree.since reports the rate of messages handled between two trees"):
    val parent = family
    parent ! "a"
    stage.quiet()
    val before = stage.system.observe.tree
    for _ <- 1 to 10 do parent ! "b"
    stage.quiet()
    val now = stage.system.observe.tree.since(before)
    assertEquals(now.overNanos, now.atNanos - before.atNanos)
    val quiet = row(now, "quiet")
    assertEquals(math.round(quiet.perSecond * now.overNanos / 1e9), 10L)
    assertEquals(row(now, "fragile").perSecond, 0.0)

  onEveryThread("the time of handlers is measured only while recordDurations is on"):
    val actor = stage.start(
      Behavior.receive[Int] { _ =>
        val until = System.nanoTime + 2_000_000
        while System.nanoTime < until do Thread.onSpinWait()
        Behavior.same
      },
      "busy"
    )
    actor ! 1
    stage.quiet()
    assertEquals(row(stage.system.observe.tree, "busy").busyNanos, 0L)
    ActorObservation.recordDurations(true)
    try
      stage.until("three handlers of two milliseconds were timed"):
        actor ! 1
        stage.quiet()
        row(stage.system.observe.tree, "busy").busyNanos >= 6_000_000
    finally ActorObservation.recordDurations(false)

  onEveryThread("the busy time of a process is the time during which it handles messages"):
    ActorObservation.recordDurations(true)
    try
      val actor = stage.start(
        Behavior.process[Int] { inbox =>
          while true do
            inbox.receive(): Unit
            val until = System.nanoTime + 2_000_000
            while System.nanoTime < until do Thread.onSpinWait()
        },
        "process"
      )
      for n <- 1 to 3 do actor ! n
      stage.until("three messages of two milliseconds were taken"):
        row(stage.system.observe.tree, "process").busyNanos >= 6_000_000
    finally ActorObservation.recordDurations(false)

  private val topRow =
    ActorTree.Row("a", 7, -1, 0, "running", 1, 2, 30, 4, 5, 6, 500_000_000L, path = "a")
  private val below =
    topRow.copy(name = "\"b\"\n", number = 8, parent = 7, depth = 1, path = "a/\"b\"\n")
  private val earlier =
    ActorTree("shop", 1_000_000_000L, 0, Vector(topRow.copy(handled = 10, busyNanos = 0)))
  private val later = ActorTree("shop", 2_000_000_000L, 0, Vector(topRow, below))

  test("ActorTree.show renders a table"):
    val plain = later.copy(rows = Vector(topRow, below.copy(name = "b")))
    assertEquals(
      plain.show,
      """actor  state    waiting  stashed  handled  failed  dead  restarts  msg/s  busy
        |a      running        1        2       30       4     5         6      -     -
        |  b    running        1        2       30       4     5         6      -     -
        |""".stripMargin
    )
    assertEquals(
      plain.since(earlier).show,
      """actor  state    waiting  stashed  handled  failed  dead  restarts  msg/s   busy
        |a      running        1        2       30       4     5         6     20  50.0%
        |  b    running        1        2       30       4     5         6     30  50.0%
        |""".stripMargin
    )

  test("ActorTree.json escapes the names of actors"):
    assertEquals(
      later.since(earlier).json,
      """{"system": "shop", "overNanos": 1000000000, "actors": [""" +
        """{"name": "a", "path": "a", "number": 7, "parent": null, "depth": 0, "state": "running", """ +
        """"waiting": 1, "stashed": 2, "handled": 30, "failed": 4, "dead": 5, "restarts": 6, """ +
        """"busyNanos": 500000000, "perSecond": 20.0, "busy": 0.5}, """ +
        """{"name": "\"b\"\u000a", "path": "a/\"b\"\u000a", "number": 8, "parent": 7, "depth": 1, "state": "running", """ +
        """"waiting": 1, "stashed": 2, "handled": 30, "failed": 4, "dead": 5, "restarts": 6, """ +
        """"busyNanos": 500000000, "perSecond": 30.0, "busy": 0.5}]}"""
    )
    assertEquals(ActorTree.quoted("a\\\ud800é"), "\"a\\\\\\ud800é\"")

  test("ActorTree.since throws for a tree of another system"):
    val e = intercept[IllegalArgumentException](later.since(earlier.copy(system = "other")))
    assertEquals(e.getMessage, "both trees must be of one system, but are of shop and other")

  test("ActorSystem.observe.tree and ActorTree.show support actors nested 20 000 levels deep"):
    Stage.play(Run.Workers):
      val depth = 20_000
      def link(n: Int): Behavior[Int] = Behavior.setup[Int]:
        if n > 1 then spawn(link(n - 1)): Unit
        Behavior.ignore
      val _ = stage.start(link(depth))
      stage.quiet()
      val tree = stage.system.observe.tree
      assertEquals(tree.rows.map(_.depth), Vector.range(0, depth))
      assertEquals(tree.show.linesIterator.size, depth + 1)
end ActorTreeTest

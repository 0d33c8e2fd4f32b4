import scala.concurrent.duration.*
import undercroft.actor.*

@main def watching(): Unit =
  val system = ActorSystem("watched")
  given ActorSystem = system

  val sums = spawn(
    Router.pool(3, Routing.ByKey[Int](_ % 10)): // each key has one actor
      Behavior.setup[Int]:
        var sum = 0
        Behavior.receive: n =>
          sum += n
          Behavior.same
    ,
    "sums"
  )
  val registry = Registry()
  registry.register(ServiceKey[Int]("sums"), sums)

  val before = system.observe.tree
  for sums <- registry.find(ServiceKey[Int]("sums")); n <- 1 to 300 do sums ! n
  system.awaitQuiescence(1.minute)

  val now = system.observe.tree.since(before) // with messages a second, between the two
  for row <- now.rows if row.name == "sums" do println(s"${row.name} handled ${row.handled}")
  println(now.rows.filter(_.depth == 1).map(_.handled).sum)
  println(now.show.linesIterator.size) // a table with one line per actor
  println(now.json.take(20))

  val shutdown =
    CoordinatedShutdown(system, "take no more" -> 10.seconds, "write books" -> 10.seconds)
  shutdown.add("take no more", "door")(registry.deregister(ServiceKey[Int]("sums"), sums))
  for step <- shutdown.run() do println(s"${step.phase}, ${step.task}: ${step.outcome}")
  println(system.observe.audit.isExact)
end watching

// prints:
// sums handled 300
// 300
// 6
// {"system": "watched"
// take no more, door: Done
// actors, watched: Done
// true

import java.util.concurrent.{Callable, Executors}
import scala.jdk.CollectionConverters.*
import undercroft.memory.*
import undercroft.struct.*

case class Particle(x: Double, speed: Double, hits: Int) derives Struct

@main def sharedTable(): Unit =
  val region = Region.shared("particles") // for all threads; closed by hand
  val particles = Rows[Particle](1000)(using region)
  val threads = Executors.newFixedThreadPool(4)
  def together(tasks: (() => Unit)*): Unit =
    val calls: Seq[Callable[Unit]] = tasks.map(task => () => task())
    for result <- threads.invokeAll(calls.asJava).asScala do result.get() // rethrows errors

  val parts = (0 until 4).map(n => particles.slice(n * 250L, n * 250L + 250)) // views, no copies
  together(parts.map(part => () => part.fill(Particle(0, 1, 0)))*)
  together(parts.map(part => () => part.updateAll(_.x)(_ + 0.5))*)
  println(particles.map(_.x).sum) // after invokeAll the rows are visible here

  val first = particles.ref(0)
  val hit = () => for _ <- 0 until 10_000 do first.atomic(_.hits).getAndAdd(1): Unit
  together(hit, hit, hit, hit)
  println(first.hits)

  println(particles.parAggregate(0.0)((sum, p) => sum + p.speed)(_ + _)) // the library's threads

  region.close()
  try println(first.hits)
  catch case error: StaleReferenceException => println(error.owner)
  threads.shutdown()
end sharedTable

// prints:
// 500.0
// 40000
// 1000.0
// Some(region "particles")

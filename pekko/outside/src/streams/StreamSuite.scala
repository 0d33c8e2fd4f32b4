package outside.pekko.streams

import com.typesafe.config.ConfigFactory
import java.util.concurrent.{CompletableFuture, TimeUnit}
import java.util.concurrent.locks.LockSupport
import org.apache.pekko.actor.ActorSystem
import scala.concurrent.{Await, Future}
import scala.concurrent.duration.*

/** A Pekko system for each suite. */
abstract class StreamSuite extends undercroft.tools.Suite:
  val patience: FiniteDuration = 3.minutes

  private val config = ConfigFactory
    .parseString("pekko.loglevel = off, pekko.stdout-loglevel = off")
    .withFallback(ConfigFactory.load())
  protected given system: ActorSystem = ActorSystem("streams", config)

  override def afterAll(): Unit =
    Await.ready(system.terminate(), patience): Unit
    super.afterAll()

  extension [A](future: Future[A])
    def outcome: A = Await.result(future, patience)
    def failure: Throwable = Await.result(future.failed, patience)

  extension [A](future: CompletableFuture[A])
    def outcome: A = future.get(patience.toSeconds, TimeUnit.SECONDS)

  def until(condition: => Boolean): Unit =
    val end = System.nanoTime + patience.toNanos
    while !condition && System.nanoTime < end do LockSupport.parkNanos(10_000_000)
    assert(condition, "it did not happen in time")

  def bytes(count: Int, seed: Int): Array[Byte] =
    val array = new Array[Byte](count)
    scala.util.Random(seed).nextBytes(array)
    array
end StreamSuite

package outside.actor

import java.util.concurrent.CountDownLatch
import undercroft.actor.*
import undercroft.tools.LoadedClasses

/** What the first actor of a program loads: no durations, and none of Scala's collections but an
  * empty map.
  */
class FirstUseTest extends undercroft.tools.Suite:
  test("the first actor system, message and end load few classes"):
    val loaded = LoadedClasses.of(FirstActor.getClass)
    assert(loaded.nonEmpty, "the log has no class")
    assert(loaded.size <= 330, s"${loaded.size} classes:\n${loaded.mkString("\n")}")
    assertEquals(loaded.filter(name => name == "scala.Predef$" || name == "scala.Tuple2"), Nil)

object FirstActor:
  def main(arguments: Array[String]): Unit =
    val handled = CountDownLatch(1)
    ActorSystem.scoped("first"):
      spawn(Behavior.receive[String] { _ =>
        handled.countDown()
        Behavior.stopped
      }) ! "message"
    if handled.getCount != 0 then throw AssertionError("the message was not handled")

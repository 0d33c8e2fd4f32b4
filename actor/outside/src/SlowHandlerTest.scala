package outside.actor

import java.nio.file.Files
import jdk.jfr.Recording
import jdk.jfr.consumer.RecordingFile
import scala.jdk.CollectionConverters.*
import undercroft.actor.*
import undercroft.tools.ForkedJvm

/** JFR events about slow handlers. */
class SlowHandlerTest extends undercroft.tools.Suite:
  test("slow handlers are recorded if the recording runs before the first actor system"):
    val jvm = ForkedJvm.run("outside.actor.RecordedEarly")
    assertEquals(jvm.last, "slow handlers were recorded: true", jvm.output)

object RecordedEarly:
  def main(args: Array[String]): Unit =
    val recording = Recording()
    recording.enable("dev.undercroft.SlowHandler")
    recording.start()
    ActorSystem.scoped("shop"):
      val slow = spawn(
        Behavior.receive[Int] { _ =>
          val from = System.nanoTime
          while System.nanoTime - from < 50_000_000 do Thread.onSpinWait()
          Behavior.same
        },
        "slow"
      )
      slow ! 1
    recording.stop()
    val file = Files.createTempFile("slow", ".jfr")
    recording.dump(file)
    val events = RecordingFile.readAllEvents(file).asScala.filter: event =>
      event.getEventType.getName == "dev.undercroft.SlowHandler" && event.getString(
        "actor"
      ) == "slow"
    Files.delete(file)
    println(s"slow handlers were recorded: ${events.nonEmpty}")
    Runtime.getRuntime.halt(0)
  end main
end RecordedEarly

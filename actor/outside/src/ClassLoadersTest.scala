package outside.actor

import java.util.concurrent.Executor
import scala.concurrent.duration.*
import undercroft.actor.*
import undercroft.tools.DroppedLoaders

/** Class loaders that load the library and are dropped. */
class ClassLoadersTest extends undercroft.tools.RoundsSuite:
  testRounds("dropped class loaders that used actors of every run model leave nothing")(3, 20):
    loaders => DroppedLoaders.run(classOf[ActorUser], loaders).check()

final case class Doubling(number: Int, replyTo: Reply[Int])

final class ActorUser extends Runnable:
  def run(): Unit =
    val recording = jdk.jfr.Recording()
    recording.enable("dev.undercroft.ActorSystem").withPeriod(java.time.Duration.ofMillis(10)): Unit
    recording.start()
    ActorSystem.scoped("doubling"):
      val here: Executor = _.run()
      val runs = Seq(Run.Workers, Run.Virtual, Run.Thread, Run.Caller, Run.On(here))
      for run <- runs do
        val actor = spawn(
          Behavior.receive[Doubling]: message =>
            message.replyTo ! message.number * 2
            Behavior.same
          ,
          run = run
        )
        assert(actor.ask(1.minute)(Doubling(21, _)) == 42)
    recording.close()

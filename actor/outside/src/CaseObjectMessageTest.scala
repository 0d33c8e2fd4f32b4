package outside.actor

import java.util.concurrent.{CountDownLatch, TimeUnit}
import undercroft.actor.*
import undercroft.struct.*

enum Lever derives Struct, CanEqual:
  case Up, Down
  case At(notch: Int)

/** The expression of a message that is an enum's case without fields is evaluated once. */
class CaseObjectMessageTest extends undercroft.tools.Suite:

  test("a message to an actor of the same worker, and to one of another, is evaluated once"):
    val (sent, done) = (CountDownLatch(1), CountDownLatch(4))
    var calls = 0
    def up: Lever.Up.type =
      calls += 1
      Lever.Up
    def down(): Lever.Down.type =
      calls += 1
      Lever.Down
    ActorSystem.scoped("levers"):
      val lever = spawn(Behavior.receive[Lever]: _ =>
        done.countDown()
        Behavior.same)
      val hand = spawn(Behavior.receive[Int]: _ =>
        lever ! up
        lever ! down()
        sent.countDown()
        Behavior.same)
      hand ! 1
      assert(sent.await(1, TimeUnit.MINUTES))
      lever ! up
      lever ! down()
      assert(done.await(1, TimeUnit.MINUTES))
    assertEquals(calls, 4)
end CaseObjectMessageTest

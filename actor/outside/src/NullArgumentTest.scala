package outside.actor

import undercroft.actor.*

/** Nulls instead of the parts of a system or an actor are refused by name. */
class NullArgumentTest extends undercroft.tools.Suite:

  private def refused(action: => Any): String = intercept[NullPointerException](action).getMessage

  test("a system refuses a null name, listener and map of pools"):
    assertEquals(refused(ActorSystem(null)), "the name of a system is null")
    assertEquals(refused(ActorSystem("shop", listener = null)), "the listener of shop is null")
    assertEquals(refused(ActorSystem("shop", pools = null)), "the map of pools of shop is null")

  test("a mailbox refuses a null overflow strategy"):
    assertEquals(refused(Mailbox(1, null)), "the overflow strategy of a mailbox is null")

  test("a subscription refuses a null listener"):
    ActorSystem.scoped("shop"):
      assertEquals(refused(summon[ActorSystem].subscribe(null)), "a subscriber of shop is null")

  test("a spawn refuses a null run model, executor and name of a pool"):
    ActorSystem.scoped("shop"):
      def message(run: Run) = refused(spawn(Behavior.ignore[Int], run = run))
      assertEquals(message(null), "the run model of an actor of shop is null")
      assertEquals(message(Run.On(null)), "the executor of an actor of shop is null")
      assertEquals(message(Run.Pool(null)), "the name of the pool of an actor of shop is null")
      assert(summon[ActorSystem].observe.tree.rows.isEmpty)

  test("a spawn refuses a null mailbox"):
    ActorSystem.scoped("office"):
      val message = refused(spawn(Behavior.ignore[Int], mailbox = null.asInstanceOf[Mailbox]))
      assertEquals(message, "the mailbox of an actor of office is null")
end NullArgumentTest

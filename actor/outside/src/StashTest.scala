package outside.actor

import scala.concurrent.duration.*
import undercroft.actor.*

class StashTest extends undercroft.tools.Suite:

  test("a pool serves as many stashed queries as connections return, in their order"):
    ActorSystem.scoped("pool"):
      var served = Vector.empty[String]
      val pool = spawn(Behavior.setup[String | Reply[Vector[String]]]:
        var free = 1
        Behavior.receive:
          case "returned" =>
            free += 1
            context.unstash(1)
            Behavior.same
          case query: String =>
            if free == 0 then context.stash()
            else
              free -= 1
              served :+= query
            Behavior.same
          case reply: Reply[Vector[String]] @unchecked =>
            reply ! served
            Behavior.same)
      def seen = pool.ask[Vector[String]](1.minute)(reply => reply)
      for query <- List("a", "b", "c") do pool ! query
      assertEquals(seen, Vector("a"))
      pool ! "returned"
      assertEquals(seen, Vector("a", "b"))
      for _ <- 1 to 3 do pool ! "returned"
      assertEquals(seen, Vector("a", "b", "c"))

  test("a process that waits for one kind of message in time keeps the others"):
    ActorSystem.scoped("office"):
      val process = spawn(Behavior.process[Int | String | Reply[String]]: inbox =>
        val none = inbox.receiveFirst(1.milli) { case n: Int if n < 0 => n }
        val number = inbox.receiveFirst(1.minute) { case n: Int => n }
        val text = inbox.receiveFirst(1.minute) { case s: String => s }
        inbox.receiveFirst { case reply: Reply[String] @unchecked =>
          reply
        } ! s"$none $number $text")
      process ! "page"
      process ! 3
      assertEquals(process.ask[String](1.minute)(reply => reply), "None Some(3) Some(page)")
end StashTest

import scala.concurrent.duration.*
import undercroft.actor.*

def tills(count: Int): Behavior[Int] = Behavior.setup:
  for _ <- 1 to count do spawn(Behavior.receive[Int](_ => Behavior.stopped), "till")
  Behavior.ignore

@main def actorPaths(): Unit =
  ActorSystem.scoped("town"):
    val system = summon[ActorSystem]
    val shop = spawn(tills(count = 2), "shop")
    system.awaitQuiescence(10.seconds)

    println(shop.path)
    println(system.find("shop/till").map(_.path))
    println(system.find("shop/safe"))
    for row <- system.observe.tree.rows do println(row.path) // the second one has a number
end actorPaths

// prints:
// shop
// Some(shop/till)
// None
// shop
// shop/till
// shop/till#3

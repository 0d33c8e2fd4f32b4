package undercroft.actor

/** How a router chooses the receiver of a message.
  *
  * {{{
  * import undercroft.actor.*
  * val listener: Behavior[String] = Behavior.ignore
  * def all: Behavior[String] = Router.pool(size = 3, Routing.Broadcast)(listener)
  * def any: Behavior[String] = Router.pool(size = 3, Routing.Random(seed = 7))(listener)
  * }}}
  */
enum Routing[-T]:
  /** Each actor in turn. */
  case RoundRobin

  /** A random actor; the seed lets a simulation repeat the choices. */
  case Random(seed: Long = 0)

  /** By a key of the message: messages with equal keys go to one actor. When an actor stops, only
    * its keys move, spread evenly over the others.
    *
    * This is rendezvous hashing: D. Thaler and C. Ravishankar, "A Name-Based Mapping Scheme for
    * Rendezvous", 1996. A message costs one hash per actor.
    *
    * {{{
    * import undercroft.actor.*
    * def byCustomer: Routing[(Int, String)] = Routing.ByKey((customer, _) => customer)
    * def desks(clerk: Behavior[(Int, String)]): Behavior[(Int, String)] =
    *   Router.pool(size = 4, byCustomer)(clerk)
    * }}}
    */
  case ByKey(key: T => Any)

  /** All actors. */
  case Broadcast

  /** Creates a chooser, which is confined to one thread. */
  private[actor] def chooser: Routing.Chooser[T] = this match
    case RoundRobin   => Routing.Turns()
    case Random(seed) => Routing.Lots(scala.util.Random(seed))
    case ByKey(key)   => Routing.Keys(key)
    case Broadcast    => Routing.All
end Routing

object Routing:
  given [A, B]: CanEqual[Routing[A], Routing[B]] = CanEqual.derived

  /** Chooses among members, which are identified by their numbers. */
  private[actor] trait Chooser[-T]:
    /** Returns the index of the chosen member, or -1 for all. */
    def choose(message: T, members: IndexedSeq[Member[?]]): Int

  private final class Turns extends Chooser[Any]:
    private var next = 0
    def choose(message: Any, members: IndexedSeq[Member[?]]): Int =
      if next >= members.size then next = 0
      next += 1
      next - 1

  private final class Lots(random: scala.util.Random) extends Chooser[Any]:
    def choose(message: Any, members: IndexedSeq[Member[?]]): Int = random.nextInt(members.size)

  private final class Keys[T](key: T => Any) extends Chooser[T]:
    def choose(message: T, members: IndexedSeq[Member[?]]): Int =
      val hash = key(message).## // equal keys of Scala may differ in hashCode: 0.0 and -0.0
      var best = 0
      var highest = Long.MinValue
      for i <- members.indices do
        val weight = mixed(hash, members(i).number)
        if weight > highest then
          highest = weight
          best = i
      best

  private object All extends Chooser[Any]:
    def choose(message: Any, members: IndexedSeq[Member[?]]): Int = -1

  /** Spreads two numbers over all Longs: the finalizer of G. Steele's SplitMix64, 2014. */
  private def mixed(hash: Int, number: Int): Long =
    var z = (hash.toLong << 32 | number) * 0x9e3779b97f4a7c15L
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL
    z ^ (z >>> 31)
end Routing

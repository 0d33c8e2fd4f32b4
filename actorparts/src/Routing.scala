package undercroft.actorparts

/** How a router chooses who gets a message. */
enum Routing[-T]:
  /** Each in its turn. */
  case RoundRobin

  /** By lot, from a seed, so that a simulation repeats it. */
  case Random(seed: Long = 0)

  /** By a key of the message: messages with one key go to one actor. When an actor goes, only the
    * keys that were its own go elsewhere, evenly to all others.
    *
    * It is rendezvous hashing: D. Thaler and C. Ravishankar, "A Name-Based Mapping Scheme for
    * Rendezvous", 1996. A message costs a hash for each actor.
    */
  case ByKey(key: T => Any)

  /** All of them. */
  case Broadcast

  /** Starts to choose. The chooser is for one thread. */
  private[actorparts] def chooser: Routing.Chooser[T] = this match
    case RoundRobin   => Routing.Turns()
    case Random(seed) => Routing.Lots(scala.util.Random(seed))
    case ByKey(key)   => Routing.Keys(key)
    case Broadcast    => Routing.All
end Routing

object Routing:
  given [A, B]: CanEqual[Routing[A], Routing[B]] = CanEqual.derived

  /** Chooses among members, each of which is known by a number of its own. */
  private[actorparts] trait Chooser[-T]:
    /** Where the one among `members` stands that is chosen, or -1 for all. */
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
      val hash = java.util.Objects.hashCode(key(message))
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

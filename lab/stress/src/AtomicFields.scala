package undercroft.lab.stress

import undercroft.memory.Region
import undercroft.struct.{Ref, Struct}

/** Fields with atomic access, which Java cannot express; for tests in Java. */
object AtomicFields:
  final case class Counters(plain: Long, count: Int, total: Long) derives Struct

  /** One struct in its own region. */
  final class Shared:
    private val region = Region.shared()
    private val ref = Ref(Counters(0, 0, 0))(using region)

    def add(): Int = ref.atomic(_.count).getAndAdd(1)
    def count: Int = ref.atomic(_.count).getVolatile
    def claim(by: Long): Boolean = ref.atomic(_.total).compareAndSet(0, by)
    def owner: Long = ref.atomic(_.total).getVolatile

    /** Stores a plain field, and then sets a flag by release. */
    def publish(value: Long): Unit =
      ref.plain = value
      ref.atomic(_.count).setRelease(1)

    /** The plain field if the flag is set, or -1. */
    def seen: Long = if ref.atomic(_.count).getAcquire == 1 then ref.plain else -1
    def close(): Unit = region.close()
  end Shared
end AtomicFields

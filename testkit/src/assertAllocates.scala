package undercroft.testkit

import scala.compiletime.erasedValue

/** Fails unless a call of `body` allocates exactly `bytes` bytes on the heap once it is warm.
  *
  * What `body` returns is kept, so an object it returns counts, and a result is never computed in
  * vain. `body` runs many thousand times: it has to be repeatable.
  *
  * {{{
  * val numbers = Array.fill(100)(1)
  * assertAllocates(0) { numbers.length }
  * }}}
  *
  * Threads: counts the calling thread alone. Cost: tens of milliseconds where it holds, up to
  * [[Allocation.patienceMillis]] where it does not, because only a compiled `body` shows what it
  * costs in the long run.
  *
  * @throws java.lang.AssertionError
  *   with the bytes a call that the best of the measured rounds allocated
  * @throws java.lang.IllegalArgumentException
  *   if `bytes` is negative
  * @throws java.lang.IllegalStateException
  *   if this JVM does not count what a thread allocates
  */
inline def assertAllocates(bytes: Long)[A](inline body: A): Unit =
  Allocation.require(bytes, () => keep(body))

/** The bytes that a call of `body` allocates on the heap once it is warm: the least of many rounds.
  *
  * Measures as [[assertAllocates]] does, and takes as long as that takes to fail.
  */
inline def bytesPerCall[A](inline body: A): Double =
  Allocation.least(() => keep(body))

/** Keeps `value` from being optimised away, and an object in it from being no object at all. */
inline def keep[A](inline value: A): Unit =
  inline erasedValue[A] match
    case _: Unit    => val _ = value
    case _: Boolean => Kept.boolean = value.asInstanceOf[Boolean]
    case _: Byte    => Kept.long = value.asInstanceOf[Byte].toLong
    case _: Short   => Kept.long = value.asInstanceOf[Short].toLong
    case _: Char    => Kept.long = value.asInstanceOf[Char].toLong
    case _: Int     => Kept.long = value.asInstanceOf[Int].toLong
    case _: Long    => Kept.long = value.asInstanceOf[Long]
    case _: Float   => Kept.double = value.asInstanceOf[Float].toDouble
    case _: Double  => Kept.double = value.asInstanceOf[Double]
    case _          => Kept.reference = value

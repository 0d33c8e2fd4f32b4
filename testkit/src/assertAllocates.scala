package undercroft.testkit

import scala.compiletime.erasedValue

/** Fails unless a call of `body` allocates exactly `bytes` bytes on the heap once it is warm.
  *
  * The result of `body` is consumed, so an object that it returns counts, and the JIT cannot remove
  * the computation. `body` runs many thousand times, so it must be repeatable.
  *
  * {{{
  * val numbers = Array.fill(100)(1)
  * assertAllocates(0) { numbers.length }
  * }}}
  *
  * Threads: counts only the calling thread, which must be a platform thread. Cost: tens of
  * milliseconds if the assertion holds; if it does not, [[Allocation.patienceMillis]] of processor
  * time, because only a compiled `body` has its final cost, or ten seconds if `body` waits. Both
  * are longer while the JIT compiles, for at most [[Allocation.mostMillis]] and the last calls.
  *
  * @throws java.lang.AssertionError
  *   with the bytes for each call in the best measured round
  * @throws java.lang.IllegalArgumentException
  *   if `bytes` is negative
  * @throws java.lang.IllegalStateException
  *   if this JVM does not count the bytes that the thread allocates: it counts none of a virtual
  *   thread
  */
inline def assertAllocates(bytes: Long)[A](inline body: A): Unit =
  Allocation.require(bytes, () => consume(body))

/** The bytes that a call of `body` allocates on the heap once it is warm: the least of many rounds.
  *
  * Measures as [[assertAllocates]] does, on a platform thread. Cost: half a second of processor
  * time after the least round; longer while the JIT compiles, and if `body` waits.
  *
  * {{{
  * println(bytesPerCall(new Array[Byte](1000)) > 1000) // true
  * }}}
  */
inline def bytesPerCall[A](inline body: A): Double =
  Allocation.least(() => consume(body))

/** Keeps `value` from being optimised away, and an object in it from being no object at all.
  *
  * {{{
  * def sum(n: Int): Int = (1 to n).sum
  * for _ <- 1 to 1000 do consume(sum(10)) // the JIT cannot remove the call
  * }}}
  */
inline def consume[A](inline value: A): Unit =
  inline erasedValue[A] match
    case _: Unit    => val _ = value
    case _: Boolean => Blackhole.boolean = value.asInstanceOf[Boolean]
    case _: Byte    => Blackhole.long = value.asInstanceOf[Byte].toLong
    case _: Short   => Blackhole.long = value.asInstanceOf[Short].toLong
    case _: Char    => Blackhole.long = value.asInstanceOf[Char].toLong
    case _: Int     => Blackhole.long = value.asInstanceOf[Int].toLong
    case _: Long    => Blackhole.long = value.asInstanceOf[Long]
    case _: Float   => Blackhole.double = value.asInstanceOf[Float].toDouble
    case _: Double  => Blackhole.double = value.asInstanceOf[Double]
    case _          => Blackhole.reference = value

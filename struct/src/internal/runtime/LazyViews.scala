package undercroft.struct
package internal.runtime

import scala.annotation.publicInBinary

/** The views of operations that are not fused. Each run starts anew, so a view may be read several
  * times.
  */
private[struct] object LazyViews:

  final class Taken[A](view: View[A], count: Long) extends View[A]:
    @publicInBinary private[struct] override def run(step: A => Boolean): Unit =
      var remaining = count
      if remaining > 0 then
        view.run: value =>
          remaining -= 1
          step(value) && remaining > 0
    def iterator: Iterator[A] = FirstValues(view.iterator, count)

  final class Dropped[A](view: View[A], count: Long) extends View[A]:
    @publicInBinary private[struct] override def run(step: A => Boolean): Unit =
      var remaining = count
      view.run: value =>
        val isDropped = remaining > 0
        if isDropped then remaining -= 1
        isDropped || step(value)
    def iterator: Iterator[A] =
      var remaining = count.max(0)
      view.iterator.dropWhile: _ =>
        remaining -= 1
        remaining >= 0

  final class TakenWhile[A](view: View[A], p: A => Boolean) extends View[A]:
    @publicInBinary private[struct] override def run(step: A => Boolean): Unit =
      view.run(value => p(value) && step(value))
    def iterator: Iterator[A] = view.iterator.takeWhile(p)

  final class DroppedWhile[A](view: View[A], p: A => Boolean) extends View[A]:
    @publicInBinary private[struct] override def run(step: A => Boolean): Unit =
      var isDropping = true
      view.run: value =>
        isDropping = isDropping && p(value)
        isDropping || step(value)
    def iterator: Iterator[A] = view.iterator.dropWhile(p)

  final class Indexed[A](view: View[A]) extends View[(A, Long)]:
    @publicInBinary private[struct] override def run(step: ((A, Long)) => Boolean): Unit =
      var index = -1L
      view.run: value =>
        index += 1
        step((value, index))
    def iterator: Iterator[(A, Long)] =
      var index = -1L
      view.iterator.map: value =>
        index += 1
        (value, index)

  final class Flat[A, B](view: View[A], f: A => View[B] | IterableOnce[B]) extends View[B]:
    @publicInBinary private[struct] override def run(step: B => Boolean): Unit =
      view.run: value =>
        var isWanted = true
        f(value) match
          case inner: View[B @unchecked] =>
            inner.run: element =>
              isWanted = step(element)
              isWanted
          case inner: IterableOnce[B @unchecked] =>
            val elements = inner.iterator
            while isWanted && elements.hasNext do isWanted = step(elements.next())
        isWanted
    def iterator: Iterator[B] = view.iterator.flatMap: value =>
      f(value) match
        case inner: View[B @unchecked]         => inner.iterator
        case inner: IterableOnce[B @unchecked] => inner.iterator

  final class Collected[A, B](view: View[A], f: PartialFunction[A, B]) extends View[B]:
    @publicInBinary private[struct] override def run(step: B => Boolean): Unit =
      var isWanted = true
      val apply = f.runWith: result =>
        isWanted = step(result)
      view.run: value =>
        val _ = apply(value)
        isWanted
    def iterator: Iterator[B] = view.iterator.collect(f)

  private final class FirstValues[A](values: Iterator[A], total: Long) extends Iterator[A]:
    private var taken = 0L
    def hasNext: Boolean = taken < total && values.hasNext
    def next(): A =
      if !hasNext then throw java.util.NoSuchElementException(s"no value $taken")
      taken += 1
      values.next()

  /** An iterator over values that have an index. */
  final class Indices[A](noun: String, size: Long, load: Long => A) extends Iterator[A]:
    private var index = 0L
    override def knownSize: Int = if size - index > Int.MaxValue then -1 else (size - index).toInt
    def hasNext: Boolean = index < size
    def next(): A =
      if !hasNext then
        throw java.util.NoSuchElementException(s"no $noun $index: there are $size ${noun}s")
      index += 1
      load(index - 1)
end LazyViews

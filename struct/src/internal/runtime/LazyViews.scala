package undercroft.struct
package internal.runtime

import scala.annotation.publicInBinary

/** The views of operations that are not fused. Each run starts anew, so a view may be read several
  * times.
  */
private[struct] object LazyViews:

  def first[A](view: View[A]): Option[A] =
    var result = Option.empty[A]
    view.run: value =>
      result = Some(value)
      false
    result

  final class Taken[A](view: View[A], count: Long) extends View[A]:
    @publicInBinary private[struct] def run(step: A => Boolean): Unit =
      var remaining = count
      if remaining > 0 then
        view.run: value =>
          remaining -= 1
          step(value) && remaining > 0

  final class TakenWhile[A](view: View[A], p: A => Boolean) extends View[A]:
    @publicInBinary private[struct] def run(step: A => Boolean): Unit =
      view.run(value => p(value) && step(value))

  final class DroppedWhile[A](view: View[A], p: A => Boolean) extends View[A]:
    @publicInBinary private[struct] def run(step: A => Boolean): Unit =
      var isDropping = true
      view.run: value =>
        isDropping = isDropping && p(value)
        isDropping || step(value)

  final class Indexed[A](view: View[A]) extends View[(A, Long)]:
    @publicInBinary private[struct] def run(step: ((A, Long)) => Boolean): Unit =
      var index = -1L
      view.run: value =>
        index += 1
        step((value, index))

  final class Flat[A, B](view: View[A], f: A => View[B] | IterableOnce[B]) extends View[B]:
    @publicInBinary private[struct] def run(step: B => Boolean): Unit =
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

  final class Collected[A, B](view: View[A], f: PartialFunction[A, B]) extends View[B]:
    @publicInBinary private[struct] def run(step: B => Boolean): Unit =
      var isWanted = true
      val apply = f.runWith: result =>
        isWanted = step(result)
      view.run: value =>
        val _ = apply(value)
        isWanted
end LazyViews

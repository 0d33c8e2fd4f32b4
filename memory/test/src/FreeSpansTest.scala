package undercroft.memory

import internal.alloc.FreeSpans
import org.scalacheck.{Gen, Prop}

class FreeSpansTest extends undercroft.tools.PropertySuite:

  property("FreeSpans behaves like a set of pages and merges adjacent free spans"):
    val steps = Gen.listOf(Gen.zip(Gen.oneOf(true, false), Gen.choose(1L, 20L)))
    Prop.forAll(steps): steps =>
      val spans = FreeSpans()
      spans.add(0, 200)
      var free = (0L until 200).toSet
      var spansInUse = List.empty[(Long, Long)]
      for (take, size) <- steps do
        if take then
          val start = spans.take(size)
          if start >= 0 then
            val pages = (start until start + size).toSet
            assert(pages.subsetOf(free), s"$pages of $free")
            free --= pages
            spansInUse ::= (start, size)
          else assert(!longestRuns(free).exists(_ >= size), s"$size of $free")
        else if spansInUse.nonEmpty then
          val (start, pages) = spansInUse((size % spansInUse.length).toInt)
          spansInUse = spansInUse.filterNot(_ == (start, pages))
          spans.add(start, pages)
          free ++= (start until start + pages)
      var pagesInRuns = Set.empty[Long]
      var runs = List.empty[Long]
      spans.foreach: (start, pages) =>
        pagesInRuns ++= (start until start + pages)
        runs ::= pages
      assertEquals(pagesInRuns, free)
      assertEquals(runs.sorted, longestRuns(free).sorted)

  test("FreeSpans.takePage takes the chosen page only"):
    for page <- 10L until 15L do
      val spans = FreeSpans()
      spans.add(0, 5)
      spans.add(10, 5)
      assertEquals(spans.takePage((_, _) => -1L), -1L)
      assertEquals(spans.takePage((start, _) => if start == 10 then page else -1L), page)
      var free = List.empty[Long]
      spans.foreach((start, pages) => free ++= (start until start + pages))
      assertEquals(free, List(0L, 1L, 2L, 3L, 4L) ++ (10L until 15L).filter(_ != page))

  private def longestRuns(pages: Set[Long]): List[Long] =
    pages.toList.filter(page => !pages(page - 1)).map: start =>
      Iterator.iterate(start)(_ + 1).takeWhile(pages).size.toLong
end FreeSpansTest

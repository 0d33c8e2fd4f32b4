package undercroft.file.format

import undercroft.file.format.internal.codec.BytePlanes
import scala.util.Random

class BytePlanesTest extends undercroft.tools.Suite:
  for size <- Seq(2, 4, 8); count <- Seq(0, 1, 63, 1000) do
    test(s"$count values of $size bytes are the same after they were split and joined"):
      val random = Random(size * 1000 + count)
      val values = random.nextBytes(size * count)
      val planes = new Array[Byte](size * count)
      BytePlanes.split(values, count, size, planes)
      for i <- 0 until count; plane <- 0 until size do
        assertEquals(planes(plane * count + i), values(i * size + plane))
      val joined = new Array[Byte](size * count + 16)
      BytePlanes.join(planes, count, size, joined, 8)
      assertEquals(joined.slice(8, 8 + size * count).toSeq, values.toSeq)
      assert(joined.take(8).forall(_ == 0) && joined.drop(8 + size * count).forall(_ == 0))
end BytePlanesTest

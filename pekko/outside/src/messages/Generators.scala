package outside.pekko.messages

import java.time.Instant
import org.scalacheck.Gen
import undercroft.struct.*

/** Messages with edge values. */
object Generators:
  val int: Gen[Int] =
    Gen.oneOf(
      Gen.oneOf(0, 1, -1, Int.MinValue, Int.MaxValue),
      Gen.choose(Int.MinValue, Int.MaxValue)
    )
  val long: Gen[Long] =
    Gen.oneOf(Gen.oneOf(0L, -1L, Long.MinValue), Gen.choose(Long.MinValue, Long.MaxValue))
  val double: Gen[Double] = Gen.oneOf(
    Gen.oneOf(0.0, -0.0, Double.MinPositiveValue, Double.PositiveInfinity),
    Gen.choose(-1e9, 1e9)
  )
  val byte: Gen[Byte] = Gen.choose(Byte.MinValue, Byte.MaxValue)

  /** Texts with characters of one to four bytes, some long enough for a count of two bytes. */
  val string: Gen[String] =
    val part = Gen.oneOf("", "a", "\u0000", "é", "€", "\ufffd", "𝄞", "x" * 200)
    Gen.listOf(part).map(_.take(12).mkString)

  val short: Gen[Text[24]] = string.map(text => Text.truncated[24](text.replace("\u0000", "0")))

  val primitives: Gen[Primitives] =
    for
      a <- Gen.oneOf(true, false)
      b <- byte
      c <- Gen.choose(Short.MinValue, Short.MaxValue)
      d <- Gen.choose(Char.MinValue, Char.MaxValue)
      e <- int
      f <- long
      g <- Gen.choose(-1e9f, 1e9f)
      h <- double
    yield Primitives(a, b, c, d, e, f, g, h)

  val point: Gen[Point] = double.map(x => Point(x, (x / 2).toFloat))
  val side: Gen[Side] = Gen.oneOf(Side.Buy, Side.Sell)
  val limit: Gen[Limit] =
    val at = for p <- int; u <- Gen.option(long) yield Limit.At(p, u)
    Gen.oneOf(Gen.const(Limit.Market), at)

  private def few[A](of: Gen[A]): Gen[Vector[A]] =
    Gen.choose(0, 5).flatMap(n => Gen.listOfN(n, of)).map(_.toVector)

  val everything: Gen[Everything] =
    for
      text <- string
      short <- short
      bytes <- few(byte)
      primitives <- primitives
      from <- point
      to <- point
      side <- side
      limit <- limit
      number <- int
      at <- Gen.choose(-1_000_000_000_000L, 1_000_000_000_000L)
      address <- Gen.option(string.map(street => Address(street, Text.truncated[8]("12345"))))
      boxes <- few(string.map(Box(_)))
      ints <- few(int)
      keys <- few(string)
      seq <- few(Gen.option(int))
      cells <- Gen.listOfN(6, byte)
      marks <- Gen.choose(0, 300)
    yield Everything(
      text,
      short,
      bytes.toList,
      Blob(IArray.from(bytes)),
      primitives,
      Line(from, to),
      side,
      limit,
      Ticket(number),
      Instant.ofEpochMilli(at),
      Url(text),
      address,
      (number, text),
      (name = text, count = at),
      Box(number),
      boxes,
      ints.toSet,
      keys.map(_ -> Vector(Side.Buy, side)).toMap,
      seq,
      text.toIndexedSeq,
      InlineArray.tabulate[InlineArray[Byte, 2], 3](i =>
        InlineArray.tabulate[Byte, 2](j => cells(i * 2 + j))
      ),
      InlineArray[Point, 2](from, to),
      Marks(Vector.fill(marks)(Mark())),
      if number > 0 then Right(number) else Left(text)
    )
end Generators

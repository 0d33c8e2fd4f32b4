package outside.arrow

import java.nio.file.{Files, Path}
import scala.util.Random
import undercroft.arrow.*
import undercroft.memory.*
import undercroft.struct.*

enum VehicleColor derives Struct, CanEqual:
  case Red, Green, Blue

final case class Vehicle(
    id: Int,
    color: VehicleColor,
    owner: Text[30],
    spare: Option[VehicleColor]
) derives Struct

/** Forged Arrow files: they are read, or rejected with the offset of the error. */
class ForgedArrowFileTest extends undercroft.tools.Suite:

  private def car(i: Long): Vehicle =
    val number = i.toInt
    val spare = if number % 2 == 0 then Some(VehicleColor.Green) else None
    Vehicle(number, VehicleColor.fromOrdinal(number % 3), Text(s"owner $number"), spare)

  test("readArrow of a forged file returns a table or names file and offset"):
    val file = undercroft.tools.TemporaryFolders.create("undercroft-arrow").resolve("cars.arrow")
    Region.scoped(Columns.tabulate[Vehicle](40)(car).writeArrow(file, 16))
    val sample = Files.readAllBytes(file)
    val seed = sys.env.get("UNDERCROFT_SEED").fold(System.nanoTime)(_.toLong)
    val random = Random(seed)
    var (read, refused) = (0, 0)
    for round <- 0 until 2000 do
      val bytes = sample.clone
      for _ <- 0 to random.nextInt(3) do
        bytes(random.nextInt(bytes.length)) = random.nextInt(4) match
          case 0 => 0
          case 1 => -1
          case 2 => 127
          case _ => random.nextInt().toByte
      Files.write(
        file,
        if random.nextInt(5) == 0 then bytes.take(random.nextInt(bytes.length)) else bytes
      )
      Region.scoped:
        try
          for row <- Rows.readArrow[Vehicle](file).iterator do
            assert(row.id >= Int.MinValue)
            assert(row.owner.toString.length <= 30)
          read += 1
        catch
          case error: ArrowException =>
            refused += 1
            assertEquals(error.file, file)
            assert(
              error.getMessage.startsWith(s"$file: offset ${error.offset}: "),
              error.getMessage
            )
          case error: Throwable => throw AssertionError(s"seed $seed, round $round", error)
    end for
    assert(read > 0 && refused > 0, s"$read read, $refused refused, seed $seed")
end ForgedArrowFileTest

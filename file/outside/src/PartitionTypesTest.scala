package outside.file

import java.time.{LocalDate, YearMonth}
import java.util.UUID
import undercroft.file.*

/** Values of partitions that are not of the types of a key. */
class PartitionTypesTest extends undercroft.tools.Suite:
  private val partition = Partition.parse("day=monday/month=2026-13")

  private def message(key: => Any): String =
    intercept[IllegalArgumentException](key: Unit).getMessage

  test("a value of another type is an error that names the expected type"):
    val expected = Seq(
      message(partition.as[(day: Int)]) -> "Int",
      message(partition.as[(day: Long)]) -> "Long",
      message(partition.as[(day: Boolean)]) -> "Boolean",
      message(partition.as[(day: LocalDate)]) -> "LocalDate",
      message(partition.as[(day: UUID)]) -> "UUID",
      message(partition.as[(day: Option[Int])]) -> "Option[Int]"
    )
    for (message, tpe) <- expected do
      val start = s"the partition value day=monday must be of type $tpe, but is not: "
      assert(message.startsWith(start), message)
    assertEquals(
      message(partition.as[(day: Int)]),
      "the partition value day=monday must be of type Int, but is not: " +
        "For input string: \"monday\""
    )

  test("a value that a PartitionValue of the program refuses is an error that names the value"):
    given PartitionValue[YearMonth] = PartitionValue.of(YearMonth.parse(_), _.toString)
    val start = "the partition value month=2026-13 must be of its type in the key, but is not: "
    val refused = message(partition.as[(month: YearMonth)])
    assert(refused.startsWith(start), refused)
    val optional = message(partition.as[(month: Option[YearMonth])])
    assert(optional.startsWith(start), optional)
    val missing = Partition.parse("day=__HIVE_DEFAULT_PARTITION__")
    assertEquals(
      message(missing.as[(day: Int)]),
      "the partition value day=(missing) must be of type Int, but is not: it is missing"
    )
end PartitionTypesTest

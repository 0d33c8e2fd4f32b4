package undercroft.arrow

import java.nio.file.Path
import undercroft.struct.*
import undercroft.file.samples.*

final case class Trade(ticket: Int, amount: Int, price: Int, buy: Boolean) derives Struct, CanEqual
object Trade:
  def of(i: Long): Trade = Trade(i.toInt, (i * 7 % 1000).toInt, (i % 251).toInt, i % 3 == 0)

object Samples:
  /** A path in a temporary folder that is created for the test. */
  def path(name: String = "some.arrow"): Path =
    undercroft.tools.TemporaryFolders.create("undercroft-arrow").resolve(name).nn

  /** The kind and the message of the exception that an operation throws. */
  def failure(body: => Any): (ArrowErrorKind, String) =
    try
      val _ = body
      throw AssertionError("nothing was wrong")
    catch case error: ArrowException => (error.kind, error.getMessage.nn)

  /** Row `i` as the JSON that other Arrow readers return. */
  def json(i: Int): ujson.Value =
    val traded =
      if i % 3 == 1 then
        ujson.Obj("price" -> i * 1000, "color" -> Color.fromOrdinal(i % 2).toString)
      else ujson.Null
    val renamed = if i % 3 == 2 then ujson.Obj("name" -> s"a longer name $i") else ujson.Null
    ujson.Obj(
      "bool" -> (i % 2 == 0),
      "byte" -> (-i).toByte.toInt,
      "short" -> (i * 100).toShort.toInt,
      "char" -> 233,
      "int" -> -i * 1000,
      "long" -> ujson.Num((Long.MaxValue - i).toDouble),
      "float" -> i * 0.25,
      "double" -> (i * -0.125 + 0.0),
      "text" -> (if i % 2 == 0 then s"naïve $i" else s"a longer text $i"),
      "option" -> (if i % 2 == 0 then ujson.Num(i) else ujson.Null),
      "absent" -> (if i % 3 == 0 then ujson.Obj("x" -> i, "y" -> 1) else ujson.Null),
      "nested" ->
        (if i % 4 == 0 then ujson.Null
         else ujson.Obj("get" -> (if i % 4 > 1 then ujson.Num(i) else ujson.Null))),
      "named" -> (if i % 5 > 0 then ujson.Str(s"n$i") else ujson.Null),
      "color" -> Color.fromOrdinal(i % 3).toString,
      "maybe" -> (if i % 3 == 1 then ujson.Str("Blue") else ujson.Null),
      "change" -> ujson.Obj(
        "tag" -> Seq("Opened", "Traded", "Renamed")(i % 3),
        "Traded" -> traded,
        "Renamed" -> renamed
      ),
      "point" -> ujson.Obj("x" -> i, "y" -> 7),
      "array" -> ujson.Arr(i, 0, -i),
      "flags" -> ujson.Arr(i % 2 == 0, true, i % 3 == 0),
      "matrix" -> ujson.Arr(ujson.Arr(i, 1), ujson.Arr(2, 3)),
      "points" -> ujson.Arr(ujson.Obj("x" -> 1, "y" -> 2), ujson.Obj("x" -> i, "y" -> 3)),
      "pair" -> ujson.Obj("_1" -> i, "_2" -> 5),
      "big" -> (0x01020304 + i)
    )
  end json
end Samples

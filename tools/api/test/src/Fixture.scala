package undercroft.tools.api.fixture

/** The input of the tests of the API dump: definitions of every kind, some of them private. */
trait Shape[+A]:
  def area: Long
  protected def seenByHeirs: Int = 1
  private[fixture] def hiddenOutside: Int = 2

final case class Square[A <: AnyRef](side: Int, var name: A) extends Shape[A]:
  def area: Long = side.toLong * hidden
  private val hidden = side

final class Made private (val how: String)
object Made:
  def by(how: String = "hand")(using width: Int): Made = Made(how * width)

enum Colour:
  case Red, Green

opaque type Metres = Long
object Metres:
  extension (metres: Metres) def value: Long = metres

type Pair[A] = (A, A)
private object Hidden:
  def value: Int = 3

inline def twice(inline body: Int): Int = body + body + Hidden.value * 0

type Wide[A] = A match
  case Int    => Long
  case Double => Double

def all(names: String*): List[?] = names.toList

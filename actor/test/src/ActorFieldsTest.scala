package undercroft.actor

import internal.cell.{ActorCell, ActorFields}
import java.lang.reflect.{Field, InvocationTargetException, Modifier}

/** The layout of an actor in memory: its hot fields are adjacent, before all others. */
class ActorFieldsTest extends munit.FunSuite:

  private val hotFields = Set(
    "notified",
    "runState",
    "state",
    "isMuted",
    "slotKind",
    "sentHere",
    "handled",
    "other",
    "head",
    "takenNode",
    "systemMessages",
    "owner",
    "behavior",
    "coldStateOrNull"
  )

  private def fieldsOf(c: Class[?]): List[Field] =
    c.getDeclaredFields.nn.toList.map(_.nn).filter(field => !Modifier.isStatic(field.getModifiers))

  /** The offset in bytes; the test is skipped on a JVM that denies Unsafe. */
  private def offsetOf(field: Field): Long =
    val unsafe = Class.forName("sun.misc.Unsafe").nn
    val instance = unsafe.getDeclaredField("theUnsafe").nn
    instance.setAccessible(true)
    val method = unsafe.getMethod("objectFieldOffset", classOf[Field]).nn
    try method.invoke(instance.get(null), field).asInstanceOf[Long]
    catch
      case denied: InvocationTargetException
          if denied.getCause.isInstanceOf[UnsupportedOperationException] =>
        assume(false, "this JVM denies Unsafe")
        0L

  private def sizeOf(field: Field): Int = field.getType.nn.getName match
    case "long" | "double"  => 8
    case "byte" | "boolean" => 1
    case "short" | "char"   => 2
    case _                  => 4

  test("the superclass of an actor cell has exactly the hot fields"):
    assertEquals(fieldsOf(classOf[ActorFields[?]]).map(_.getName).toSet, hotFields)
    assertEquals(classOf[ActorCell[?]].getSuperclass.nn.getName, classOf[ActorFields[?]].getName)

  test("the hot fields of an actor are adjacent and fit into the length of a cache line"):
    val hot = fieldsOf(classOf[ActorFields[?]])
    val from = hot.map(offsetOf).min
    val until = hot.map(field => offsetOf(field) + sizeOf(field)).max
    assertEquals(until - from, hot.map(sizeOf(_).toLong).sum, "there is no gap between them")
    assert(until - from <= 64, s"they have ${until - from} bytes")

  test("all other fields of an actor follow the hot fields"):
    val until = fieldsOf(classOf[ActorFields[?]]).map(offsetOf).max
    val others = fieldsOf(classOf[ActorCell[?]])
    assert(others.nonEmpty)
    for field <- others do assert(offsetOf(field) > until, s"${field.getName} precedes them")
end ActorFieldsTest

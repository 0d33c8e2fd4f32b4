// In the empty package, as the program `tenMillionSessions` is.

import undercroft.memory.*
import undercroft.struct.*

class SessionCacheTest extends undercroft.tools.Suite:
  private val minute = 60_000L

  test("a session expires two lifetimes after its last use at the latest, if a switch comes late"):
    Region.scoped:
      val sessions = SessionCache(lifetimeMillis = 30 * minute, expected = 10, start = 0)
      sessions(1, now = 0) = Session(1, 1, Text("/home"))
      assert(!sessions.visit(2, now = 59 * minute))
      assert(!sessions.visit(1, now = 88 * minute))

  test("a session that is used within its lifetime remains after a late switch"):
    Region.scoped:
      val sessions = SessionCache(lifetimeMillis = 30 * minute, expected = 10, start = 0)
      sessions(1, now = 0) = Session(1, 1, Text("/home"))
      for now <- Seq(29L, 58L, 87L) do assert(sessions.visit(1, now * minute))
      assert(!sessions.visit(2, now = 200 * minute))
      assertEquals(sessions.size, 0L)

  test("a cache without memory still switches, and loses no used session"):
    Region.within(Budget("sessions", limitBytes = 16.MiB)):
      val sessions = SessionCache(lifetimeMillis = 30 * minute, expected = 10, start = 0)
      intercept[MemoryLimitException]:
        for id <- 1 until 1_000_000 do sessions(id, now = 0) = Session(id, 1, Text("/home"))
      intercept[MemoryLimitException]:
        for _ <- 0 until 20_000 do Rows[Session](100): Unit
      assert(sessions.size > 1)
      assert(sessions.visit(1, now = 31 * minute))
      assert(sessions.visit(1, now = 61 * minute))
      assertEquals(sessions.size, 1L)
end SessionCacheTest

import undercroft.memory.*
import undercroft.struct.*

case class Session(user: Int, visits: Int, page: Text[16]) derives Struct

/** Sessions by id. A session expires between `lifetimeMillis` and twice that after its last use.
  *
  * It has two maps. New and used sessions are in `recent`. After each lifetime the map `older` is
  * cleared with all its sessions, and the two change places: nothing is searched.
  */
final class SessionCache(lifetimeMillis: Long, expected: Long, start: Long)(using Allocator):
  private var recent = StructMap[Long, Session](expected)
  private var older = StructMap[Long, Session]()
  private var switchedAt = start

  def size: Long = recent.size + older.size

  def update(id: Long, now: Long, session: Session): Unit =
    expire(now)
    recent(id) = session
    older.remove(id): Unit

  /** Whether there is such a session; then it is used, and its visits are counted. */
  def visit(id: Long, now: Long): Boolean =
    expire(now)
    if recent.contains(id) then
      recent(id) = Session(recent(id).user, recent(id).visits + 1, recent(id).page)
      true
    else if older.contains(id) then
      val session = older(id)
      update(id, now, session.copy(visits = session.visits + 1))
      true
    else false

  def visits(id: Long): Int = recent.getOrElse(id, Session(0, 0, Text(""))).visits

  private def expire(now: Long): Unit =
    if now - switchedAt >= lifetimeMillis then
      val isLate = now - switchedAt >= 2 * lifetimeMillis
      if isLate then recent.clear() // its sessions have expired, too
      older.clear() // frees all its sessions at once
      val empty = older
      older = recent
      recent = empty
      switchedAt = if isLate then now else switchedAt + lifetimeMillis
end SessionCache

@main def tenMillionSessions(): Unit =
  val count = 100_000
  val minute = 60_000L
  val budget = Budget("sessions", limitBytes = 2048.MiB)
  Region.within(budget):
    val sessions = SessionCache(lifetimeMillis = 30 * minute, expected = count, start = 0)
    for id <- 0 until count do sessions(id, now = 0) = Session(id, 1, Text("/home"))
    println(sessions.size)
    for id <- 0 until 1000 do sessions.visit(id, now = 31 * minute) // moves 1000 sessions
    println(sessions.visits(7))
    println(sessions.size)
    println(sessions.visit(7, now = 62 * minute)) // 99 000 unused sessions are freed here
    println(sessions.size)
    println(sessions.visit(50_000, now = 62 * minute))
  println(budget.liveBytes)
  println(budget.peakBytes / count < 150) // bytes for each session
end tenMillionSessions

// prints:
// 100000
// 2
// 100000
// true
// 1000
// false
// 0
// true

package undercroft.lab.bench

import java.util.SplittableRandom
import undercroft.memory.Region
import undercroft.struct.*

final case class Vec(x: Double, y: Double, z: Double) derives Struct
final case class Body(at: Vec, speed: Vec, mass: Double) derives Struct
final class HeapVec(var x: Double, var y: Double, var z: Double)
final class HeapBody(val at: HeapVec, val speed: HeapVec, val mass: Double)

/** Simulates a thousand bodies that attract one another, for `size / 25000` steps. */
object NBody extends Program:
  private val count = 1000
  private val time = 0.001

  /** Keeps bodies that come close from being thrown out. */
  private val softness = 0.01

  def onHeap(size: Int)(done: () => Unit): Long =
    val random = SplittableRandom(5)
    def vec() = HeapVec(random.nextDouble(), random.nextDouble(), random.nextDouble())
    val bodies = Array.fill(count)(HeapBody(vec(), vec(), random.nextDouble()))
    for _ <- 1 to size / 25000 do step(bodies)
    done()
    bodies.map(body => (body.at.x * 1e9).toLong).sum

  private def step(bodies: Array[HeapBody]): Unit =
    var i = 0
    while i < bodies.length do
      val a = bodies(i)
      var k = i + 1
      while k < bodies.length do
        val b = bodies(k)
        val (dx, dy, dz) = (a.at.x - b.at.x, a.at.y - b.at.y, a.at.z - b.at.z)
        val force = forceOf(dx * dx + dy * dy + dz * dz)
        pull(a, dx, dy, dz, -force * b.mass)
        pull(b, dx, dy, dz, force * a.mass)
        k += 1
      i += 1
    for body <- bodies do
      body.at.x += time * body.speed.x
      body.at.y += time * body.speed.y
      body.at.z += time * body.speed.z

  private def pull(body: HeapBody, dx: Double, dy: Double, dz: Double, force: Double): Unit =
    body.speed.x += dx * force
    body.speed.y += dy * force
    body.speed.z += dz * force

  private def forceOf(square: Double): Double =
    time / ((square + softness) * math.sqrt(square + softness))

  def inRegion(size: Int)(done: () => Unit)(using Region): Long =
    val random = SplittableRandom(5)
    def vec() = Vec(random.nextDouble(), random.nextDouble(), random.nextDouble())
    val bodies = Rows[Body](count)
    for i <- 0 until count do bodies(i) = Body(vec(), vec(), random.nextDouble())
    for _ <- 1 to size / 25000 do step(bodies)
    done()
    bodies.sumOf(body => (body.at.x * 1e9).toLong)

  // By references: the checks of a dozen accesses to rows in one loop are too many for the JIT.
  private def step(bodies: Rows[Body]): Unit =
    var i = 0
    while i < count do
      val a = bodies.ref(i)
      var k = i + 1
      while k < count do
        val b = bodies.ref(k)
        val (dx, dy, dz) = (a.at.x - b.at.x, a.at.y - b.at.y, a.at.z - b.at.z)
        val force = forceOf(dx * dx + dy * dy + dz * dz)
        pull(a, dx, dy, dz, -force * b.mass)
        pull(b, dx, dy, dz, force * a.mass)
        k += 1
      i += 1
    bodies.transform: body =>
      body.copy(at =
        Vec(
          body.at.x + time * body.speed.x,
          body.at.y + time * body.speed.y,
          body.at.z + time * body.speed.z
        )
      )
  end step

  private def pull(body: Ref[Body], dx: Double, dy: Double, dz: Double, force: Double): Unit =
    body.speed.update(_.x)(_ + dx * force)
    body.speed.update(_.y)(_ + dy * force)
    body.speed.update(_.z)(_ + dz * force)
end NBody

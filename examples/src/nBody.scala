import undercroft.memory.*
import undercroft.struct.*

case class Vec(x: Double, y: Double, z: Double) derives Struct
case class Body(at: Vec, speed: Vec, mass: Double) derives Struct

def pull(body: Ref[Body], mass: Double, dx: Double, dy: Double, dz: Double): Unit =
  body.speed.update(_.x)(_ + dx * mass)
  body.speed.update(_.y)(_ + dy * mass)
  body.speed.update(_.z)(_ + dz * mass)

def step(bodies: Rows[Body], time: Double): Unit =
  for i <- 0L until bodies.size; k <- i + 1 until bodies.size do
    val (a, b) = (bodies.ref(i), bodies.ref(k))
    val (dx, dy, dz) = (a.at.x - b.at.x, a.at.y - b.at.y, a.at.z - b.at.z)
    val square = dx * dx + dy * dy + dz * dz
    val force = time / (square * math.sqrt(square))
    pull(a, -b.mass, dx * force, dy * force, dz * force)
    pull(b, a.mass, dx * force, dy * force, dz * force)
  bodies.transform: body =>
    body.copy(at =
      Vec(
        body.at.x + time * body.speed.x,
        body.at.y + time * body.speed.y,
        body.at.z + time * body.speed.z
      )
    )

def energy(bodies: Rows[Body]): Double =
  var sum = bodies.sumOf(body =>
    body.mass / 2 * (body.speed.x * body.speed.x + body.speed.y * body.speed.y +
      body.speed.z * body.speed.z)
  )
  for i <- 0L until bodies.size; k <- i + 1 until bodies.size do
    val (a, b) = (bodies(i), bodies(k))
    val (dx, dy, dz) = (a.at.x - b.at.x, a.at.y - b.at.y, a.at.z - b.at.z)
    sum -= a.mass * b.mass / math.sqrt(dx * dx + dy * dy + dz * dz)
  sum

@main def nBody(): Unit =
  Region.scoped:
    val bodies = Rows[Body](3)
    bodies(0) = Body(Vec(0, 0, 0), Vec(0, -0.03, 0), mass = 40)
    bodies(1) = Body(Vec(5, 0, 0), Vec(0, 2.8, 0.3), mass = 0.04)
    bodies(2) = Body(Vec(0, 9, 1), Vec(-2.1, 0, 0), mass = 0.02)
    val before = energy(bodies)
    for _ <- 1 to 1000 do step(bodies, 0.001)
    println(s"energy: ${math.round(before * 1e6)} millionths")
    println(s"after 1000 steps: ${math.round(energy(bodies) * 1e6)} millionths")

// prints:
// energy: -187723 millionths
// after 1000 steps: -187722 millionths

import undercroft.buffer.*

@main def missingSegments(): Unit =
  val pool = SegmentPool.lockFree(debug = true) // for tests: it notes who takes its segments
  val forgotten = Buffer(using pool).writeUtf8("never cleared")
  for site <- pool.takenAt do
    println(site.find(_.contains("missingSegments")).fold("elsewhere")(_.dropWhile(_ != '(')))
  forgotten.clear() // gives them back
  pool.assertAllHome()
  println(pool.takenAt)

// prints:
// (missingSegments.scala:5)
// List()

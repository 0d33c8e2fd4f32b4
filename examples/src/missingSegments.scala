import undercroft.buffer.*

@main def missingSegments(): Unit =
  val pool = SegmentPool.lockFree(debug = true) // for tests: records who takes segments
  val forgotten = Buffer(using pool).writeUtf8("never cleared")
  for site <- pool.leakSites do
    println(site.find(_.contains("missingSegments")).fold("elsewhere")(_.dropWhile(_ != '(')))
  forgotten.clear() // returns the segments to the pool
  pool.assertNoLeaks()
  println(pool.leakSites)

// prints:
// (missingSegments.scala:5)
// List()

import undercroft.memory.*

@main def arrays(): Unit =
  val squares =
    HeapArrays.tabulate[Int](5)(i => i * i) // a loop over `new Array`: no ClassTag, no box
  println(squares.sum)
  println(HeapArrays.toArray(List(1, 2, 3)).length) // a copy into an int[]

  inline def repeat[T](count: Int, value: T): Array[T] = HeapArrays.fill[T](count)(value)
  println(repeat(3, 7L).mkString(" ")) // the element type is known here, so this is a long[]

// prints:
// 30
// 3
// 7 7 7

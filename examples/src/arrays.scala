import undercroft.memory.*

@main def arrays(): Unit =
  val squares = Arrays.tabulate[Int](5)(i => i * i) // a loop over `new Array`: no ClassTag, no box
  println(squares.sum)
  println(Arrays.toArray(List(1, 2, 3)).length) // the collection's own copy, into an int[]

  inline def repeat[T](count: Int, value: T): Array[T] = Arrays.fill[T](count)(value)
  println(repeat(3, 7L).mkString(" ")) // the element type is known here, so it is a long[]

// prints:
// 30
// 3
// 7 7 7

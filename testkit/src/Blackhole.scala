package undercroft.testkit

/** Where [[consume]] puts values: volatile, so that the compiler may drop no store, not even of a
  * value that the next one overwrites.
  */
object Blackhole:
  @volatile var boolean: Boolean = false
  @volatile var long: Long = 0
  @volatile var double: Double = 0
  @volatile var reference: Any = ""

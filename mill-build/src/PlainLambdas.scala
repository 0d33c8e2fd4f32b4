package undercroft.tools

import java.nio.ByteBuffer

/** Makes Scala's lambdas like Java's. Scala links each lambda by `altMetafactory`, to be
  * serializable; the JDK's AOT cache stores only lambdas of `metafactory`, and a program generates
  * all others at each start. A changed lambda cannot be serialized.
  */
object PlainLambdas:
  /** Rewrites the class files of a folder, except those below `META-INF`. */
  def rewrite(folder: os.Path): Unit =
    for
      file <- os.walk(folder, skip = _.last == "META-INF") if file.ext == "class"
      plain <- of(os.read.bytes(file))
    do os.write.over(file, plain)

  /** The class file with plain lambdas, or nothing if no lambda changes. A lambda with marker
    * interfaces stays, as does a lambda with a bridge method that its interface may declare.
    */
  def of(file: Array[Byte]): Option[Array[Byte]] =
    val bytes = ByteBuffer.wrap(file)
    def short(at: Int) = bytes.getShort(at) & 0xffff
    val constants = new Array[Int](short(8)) // where each constant is
    var (index, poolEnd) = (1, 10)
    while index < constants.length do
      constants(index) = poolEnd
      val (slots, size) = file(poolEnd) match
        case 1                    => (1, 3 + short(poolEnd + 1))
        case 5 | 6                => (2, 9)
        case 7 | 8 | 16 | 19 | 20 => (1, 3)
        case 15                   => (1, 4)
        case _                    => (1, 5)
      index += slots
      poolEnd += size

    /** The constant that another one names at a place. */
    def named(index: Int, place: Int) = short(constants(index) + place)
    def text(index: Int) = String(file, constants(index) + 3, named(index, 1), "UTF-8")

    /** Where the last of `count` parts ends, each with its size. */
    def end(from: Int, count: Int)(size: Int => Int) =
      (0 until count).foldLeft(from)((at, _) => at + size(at))
    def attributeSize(at: Int) = 6 + bytes.getInt(at + 2)
    def memberSize(at: Int) = end(at + 8, short(at + 6))(attributeSize) - at
    val fields = poolEnd + 6 + 2 + 2 * short(poolEnd + 6)
    val methods = end(fields + 2, short(fields))(memberSize)
    val attributes = end(methods + 2, short(methods))(memberSize)
    val table = Iterator.iterate(attributes + 2)(at => at + attributeSize(at))
      .take(short(attributes)).find(at => text(short(at)) == "BootstrapMethods")

    table.flatMap: table =>
      // Of each bootstrap method its handle, then its arguments.
      val calls = Iterator.iterate(table + 8)(at => at + 4 + 2 * short(at + 2))
        .take(short(table + 6))
        .map(at => short(at) +: Vector.tabulate(short(at + 2))(i => short(at + 4 + 2 * i)))
        .toVector
      val foreign = constants.indices.filter(i => constants(i) > 0 && file(constants(i)) == 18)
        .filterNot(i => text(named(named(i, 3), 3)).matches(Functions)).map(named(_, 1)).toSet
      def isPlain(i: Int) =
        text(named(named(named(calls(i).head, 2), 3), 1)) == "altMetafactory" &&
          (bytes.getInt(constants(calls(i)(4)) + 1) & Markers) == 0 &&
          (calls(i).size <= 6 || !foreign(i))
      val plain = calls.indices.filter(isPlain)

      Option.when(plain.nonEmpty && constants.length + 5 <= 0xffff):
        val added = constants.length
        val changed = ByteBuffer.allocate(file.length + 500)
        def put(shorts: Int*) = for short <- shorts do changed.putShort(short.toShort)
        def putText(text: String): Unit =
          changed.put(1.toByte)
          put(text.length)
          changed.put(text.getBytes("UTF-8")): Unit
        changed.put(file, 0, 8)
        put(added + 5)
        changed.put(file, 10, poolEnd - 10)
        putText("metafactory")
        putText(Descriptor)
        changed.put(12.toByte) // name and type
        put(added, added + 1)
        changed.put(10.toByte) // method
        put(named(named(calls(plain.head).head, 2), 1), added + 2)
        changed.put(15.toByte).put(6.toByte) // handle of a static method
        put(added + 3)
        changed.put(file, poolEnd, table - poolEnd)
        val isChanged = plain.toSet
        val entries = calls.indices.flatMap: i =>
          val call = if isChanged(i) then (added + 4) +: calls(i).slice(1, 4) else calls(i)
          call.head +: (call.size - 1) +: call.tail
        put(short(table))
        changed.putInt(2 + 2 * entries.size)
        put(calls.size +: entries*)
        val rest = table + attributeSize(table)
        changed.put(file, rest, file.length - rest)
        changed.array.take(changed.position)
  end of

  private val Markers = 2
  private val Functions =
    """.*\)L(scala/Function\d+|scala/runtime/(java8|function)/\w+|java/util/function/\w+);"""
  private val Descriptor =
    "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/invoke/MethodType;" +
      "Ljava/lang/invoke/MethodType;Ljava/lang/invoke/MethodHandle;Ljava/lang/invoke/MethodType;)" +
      "Ljava/lang/invoke/CallSite;"
end PlainLambdas

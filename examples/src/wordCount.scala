import undercroft.buffer.*
import undercroft.memory.*
import undercroft.struct.*

val poem =
  """I met a traveller from an antique land
    |Who said two vast and trunkless legs of stone
    |Stand in the desert Near them on the sand
    |Half sunk a shattered visage lies whose frown
    |And wrinkled lip and sneer of cold command""".stripMargin

case class Word(text: Text[20], count: Int) derives Struct

@main def wordCount(): Unit =
  Region.scoped:
    val counts = StructMap[Text[20], Int]() // off-heap, as every table is
    for word <- poem.toLowerCase.split("\\W+") do
      counts.updateOrElse(Text(word), 0)(_ + 1) // one entry, changed in its place
    println(counts.size)
    println(counts.getOrElse(Text("king"), 0))

    val words = Rows.growing[Word]
    counts.foreach((text, count) => words += Word(text, count))
    words.sortInPlaceBy(_.text)
    val ranked = words.sortBy(-_.count) // stable: words with equal counts keep their order
    for word <- ranked.slice(0, 4).toVector do println(s"${word.text.string} ${word.count}")

    val seen = StructSet[Int]()
    println(seen.add(7)) // whether 7 is new
    println(seen.add(7))

    val name = Region.allocate(20)
    val source = Buffer().writeUtf8("sand;stone;sand;")
    while !source.exhausted do
      val size = source.readUntil(';', name)
      counts.updateOrElse(Text(name, 0, size), 0)(_ + 1)
    println(counts(Text("sand")))

// prints:
// 37
// 0
// and 3
// a 2
// of 2
// the 2
// true
// false
// 3

import undercroft.memory.*
import undercroft.struct.*

case class Article(year: Short, title: TextRef, cover: BytesRef) derives Struct

@main def articles(): Unit =
  Region.scoped:
    val articles = Rows.growing[Article]
    articles += Article(1843, TextRef("Notes on the Analytical Engine"), BytesRef.empty)
    articles += Article(1952, TextRef("The Education of a Computer"), BytesRef(Array[Byte](1, 2)))

    println(articles.count(_.title.contains("Engine"))) // on the bytes; allocates nothing
    val first = articles.ref(0)
    first.title = TextRef("Sketch of the Analytical Engine") // 16 bytes in place, 31 in the region
    println(first.title.startsWith("Sketch"))
    println(articles(0).title)
    println(articles(1).cover(1))

// prints:
// 1
// true
// Sketch of the Analytical Engine
// 2

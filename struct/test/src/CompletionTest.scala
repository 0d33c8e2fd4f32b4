package undercroft.struct

import dotty.tools.dotc.core.Contexts.Context
import dotty.tools.dotc.interactive.{Completion, InteractiveDriver}
import dotty.tools.dotc.util.Spans.Span
import dotty.tools.dotc.util.SourcePosition
import java.net.URI

class CompletionTest extends undercroft.tools.Suite:
  test("code completion after a reference lists the fields"):
    val text = """import undercroft.struct.*
                 |case class Quote(bid: Int, ask: Int) derives Struct
                 |def spread(quote: Ref[Quote]): Int = quote.
                 |""".stripMargin
    val driver = InteractiveDriver(
      List("-classpath", System.getProperty("java.class.path").nn, "-color:never")
    )
    val uri = URI("file:///quote.scala")
    val _ = driver.run(uri, text)
    given Context = driver.currentCtx.fresh.setCompilationUnit(driver.compilationUnits(uri))
    val at = text.indexOf("quote.\n") + "quote.".length
    val position = SourcePosition(driver.openedFiles(uri), Span(at))
    val (_, completions) = Completion.completions(position)
    val labels = completions.map(_.label)
    assert(labels.contains("bid") && labels.contains("ask"), labels.toString)

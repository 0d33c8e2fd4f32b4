package undercroft.lab

class BigDaysTest extends undercroft.tools.Suite:
  test("a report of days that were all left out has the reasons and no picture"):
    val results = Seq(BigDays.Result("all", 1000, Left("left out: it needs 40 GB of disk")))
    val html = BigDays.report(results).html
    assert(html.contains("left out: it needs 40 GB of disk"), html)

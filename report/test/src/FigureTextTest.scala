package undercroft.report

class FigureTextTest extends undercroft.tools.Suite:

  test("FigureText formats a number with four digits and no exponent"):
    assertEquals(
      Seq(0.0, 0.0001, 1.23456, 123456.0, -2.5).map(FigureText(_)),
      Seq("0", "0", "1.235", "123500", "-2.5")
    )

  test("FigureText.spaced groups digits by three"):
    assertEquals(FigureText.spaced(1234567), "1\u202f235\u202f000")
    assertEquals(FigureText.spaced(-123.25), "-123.3")
    assertEquals(FigureText.spaced(999), "999")

  test("FigureText.time formats a time with its unit"):
    val times = Seq(0.0, 0.25, 1.259, 999.4, 999.96, 1500.0, 104_200_000.0, 2e9)
    assertEquals(
      times.map(FigureText.time),
      Seq("0 ns", "0.25 ns", "1.26 ns", "999 ns", "1 µs", "1.5 µs", "104 ms", "2 s")
    )

  test("FigureText.percent formats a share in per cent"):
    assertEquals(
      Seq(0.0, 0.0004, 0.123, 1.0).map(FigureText.percent),
      Seq("0 %", "0 %", "12.3 %", "100 %")
    )

  test("FigureText.short abbreviates round numbers of an axis"):
    assertEquals(
      Seq(1e9, 5e6, 1000.0, 131072.0, 0.5).map(FigureText.short),
      Seq("1G", "5M", "1k", "131072", "0.5")
    )
end FigureTextTest

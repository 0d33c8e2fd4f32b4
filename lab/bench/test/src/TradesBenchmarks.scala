package undercroft.lab.bench

/** Every storage of the `trades` experiment finds the same balance, on each day. */
class TradesBenchmarks extends undercroft.tools.Suite:
  private val names =
    classOf[Day].getDeclaredField("storage").nn
      .getAnnotation(classOf[org.openjdk.jmh.annotations.Param]).nn.value.nn.toSeq.map(_.nn)

  private def expected(trades: Int): Long =
    (0L until trades).map(i => i * i * (if i % 2 == 0 then 1 else -1)).sum

  for name <- names do
    test(s"a day in $name ends with the balance on the first and on the second run"):
      if name.startsWith("c-") then undercroft.tools.Requirement.GCC.require()
      val storage = Storages.open(name, 50_001)
      try
        assertEquals(storage.run(50_001), expected(50_001))
        assertEquals(storage.run(50_001), expected(50_001))
        assertEquals(storage.run(50_000), expected(50_000))
      finally storage.close()

  test("the benchmarks of the first and the second day return the balance"):
    for day <- Seq[() => Day](() => FirstDay(), () => SecondDay()) do
      val answers = Once.answers: () =>
        val state = day()
        state.storage = "unsafe"
        state.trades = 1000
        state
      assertEquals(answers, Map[String, Any]("day" -> expected(1000)))

  test("the article's arithmetic is exact up to 46 341 trades and wrong beyond"):
    def article(trades: Int) =
      (0 until trades).map(i => (i * i * (if i % 2 == 0 then 1 else -1)).toDouble).sum
    for count <- Seq(46_341, 46_342, 50_000) do
      val answers = Once.answers: () =>
        val state = ArticleArithmetic()
        state.trades = count
        state
      for (method, answer) <- answers do
        val right: Any = if method.startsWith("article") then article(count) else expected(count)
        assertEquals(answer, right, method)
    assertEquals(article(46_341), expected(46_341).toDouble)
    assertNotEquals(article(46_342), expected(46_342).toDouble)

  for storage <- Seq("unsafe", "packed-rows"); cache <- Seq("none", "aot") do
    test(
      s"the first day of the exchange in $storage with AOT cache $cache is measured".tag(LongTest)
    ):
      val (state, figures) = (ExchangeFirstDay(), FirstDayFigures())
      state.storage = storage
      state.cache = cache
      state.trades = 100_000
      state.open()
      try
        assertEquals(state.days(figures), BigInt(expected(100_000)))
        assert(figures.firstDayMillis > 0, s"${figures.firstDayMillis} ms")
      finally state.close()

  test("an unknown storage throws an exception that names it"):
    val error = intercept[IllegalArgumentException](Storages.open("shoebox", 1))
    assertEquals(error.getMessage, "no storage is called shoebox")
end TradesBenchmarks

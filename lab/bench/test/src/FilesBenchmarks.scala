package undercroft.lab.bench

/** Every benchmark of the `files` experiment returns the expected result. */
class FilesBenchmarks extends undercroft.tools.Suite:

  test("opening a file of any size returns all its rows"):
    for mebibytes <- Seq(1L, 16_384L) do
      val answers = Once.answers: () =>
        val state = FileOpen()
        state.mebibytes = mebibytes
        state
      assertEquals(answers, Map("open" -> (mebibytes << 20) / 16))

  test("opening a folder of files returns the rows of all of them"):
    for files <- Seq(1, 30) do
      val answers = Once.answers: () =>
        val state = FolderOpen()
        state.files = files
        state
      assertEquals(answers, Map("openAll" -> files * 100L))

  test("the balance is the same in memory, in files and in databases"):
    val answers = Once.answers: () =>
      val state = FileScan()
      state.trades = 10_000
      state
    val expected = (0L until 10_000L).map(i => i * i * (if i % 2 == 0 then 1 else -1)).sum
    assertEquals(answers.size, 6)
    for (method, answer) <- answers do assertEquals(answer, expected: Any, method)

  test("the sum and the balance of a compressed file are those of Parquet"):
    val answers = Once.answers: () =>
      val state = CompressedScan()
      state.trades = 200_000
      state
    val (sums, balances) = answers.partition(_._1.startsWith("sum"))
    assertEquals((sums.size, balances.size), (4, 2))
    assertEquals((sums.values.toSet.size, balances.values.toSet.size), (1, 1), answers.toString)
    assertNotEquals(sums.head._2, 0L: Any)

  test("FileAppend writes batches of 4096 rows"):
    val answers = Once.answers(() => FileAppend())
    assertEquals(answers.size, 3)
    for (method, answer) <- answers do assertEquals(answer, 4096L: Any, method)

  test("EventSourced appends an event for each id, and SQLite as many as it has transactions"):
    val answers = Once.answers(() => EventSourced())
    assertEquals(
      answers,
      Map(
        "actors" -> 1000L,
        "actorsVolatile" -> 1000L,
        "oneActor" -> 100L,
        "oneActorTogether" -> 1000L,
        "sqliteBatch" -> 1000L,
        "sqliteEach" -> 100L
      )
    )
end FilesBenchmarks

package undercroft.exchange

import internal.text.Formatting
import internal.trades.ByteLines
import java.io.ByteArrayOutputStream
import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}
import java.nio.file.{Files, Path}
import java.util.zip.GZIPOutputStream

class RealTradesTest extends undercroft.tools.Suite:

  private val Header = "ticket,amount,price,buy\n"

  private def stopped(content: String): String =
    val file = Exchange.file("trades.csv", content)
    val outcome = Exchange.run("--from", file.toString)
    assertEquals(outcome.code, 2, outcome.err)
    assertEquals(outcome.out, "")
    val words = outcome.err.linesIterator.filter(_.startsWith("exchange: ")).mkString("\n")
    words.replace(s"exchange: $file: ", "").nn

  private def gzipped(text: String): Array[Byte] =
    val bytes = ByteArrayOutputStream()
    val zip = GZIPOutputStream(bytes)
    zip.write(text.getBytes(UTF_8))
    zip.close()
    bytes.toByteArray.nn

  test("CSV columns are found by name in any order and letter case among others"):
    val csv = "note,Buy,price, ticket,AMOUNT\n\"a,b\",true,5,7,10\n,0, 3 ,7,\"20\"\r\n\n,1,2,-1,4\n"
    val file = Exchange.file("trades.csv", csv)
    val outcome = Exchange.run("--from", file.toString, "--json", "-")
    assertEquals(outcome.code, 0, outcome.err)
    val json = ujson.read(outcome.out)
    assertEquals(
      json.obj.keys.toSeq,
      Seq("file", "read", "accepted", "rejected", "balance", "tickets")
    )
    assertEquals(json("read").num, 3.0)
    assertEquals(json("balance").num, -2.0)
    val tickets =
      json("tickets").arr.map(t => (t("ticket").num, t("trades").num, t("balance").num)).toSeq
    assertEquals(tickets, Seq((-1.0, 1.0, 8.0), (7.0, 2.0, -10.0)))

  test("the table shows each ticket and the total"):
    val file = Exchange.file("trades.csv", Header + "1,1000,1000,true\n2,1,1,false\n")
    val outcome = Exchange.run("--from", file.toString)
    val lines = outcome.out.linesIterator.toSeq
    assert(lines.head.endsWith("2 lines read, 2 accepted"), outcome.out)
    assertEquals(lines.last.trim.nn.split(" {2,}").toSeq.map(_.nn), Seq("all", "2", "999 999"))

  test("the table of many tickets shows the twenty with the largest balances and the total"):
    val lines = (1 to 50).map(i => s"$i,$i,1,${i % 2 == 0}\n").mkString
    val file = Exchange.file("trades.csv", Header + lines)
    val json = file.resolveSibling("all.json").nn
    val outcome = Exchange.run("--from", file.toString, "--json", json.toString)
    assertEquals(outcome.code, 0, outcome.err)
    assert(clue(outcome.out).contains("The 20 of 50 tickets with the largest balances"))
    val rows = outcome.out.linesIterator.map(_.trim.nn.split(" {2,}").toSeq.map(_.nn))
      .filter(_.size == 3).toSeq
    val expected = (50 to 31 by -1).map(i => Seq(s"$i", "1", s"${if i % 2 == 0 then i else -i}"))
    assertEquals(rows.slice(2, 22), expected)
    assertEquals(rows.drop(22), Seq(Seq("all", "50", "25")))
    assertEquals(ujson.read(Files.readString(json))("tickets").arr.size, 50)

  test("a balance beyond 64 bits is exact"):
    val line = s"1,${Int.MaxValue},${Int.MaxValue},true\n"
    val file = Exchange.file("trades.csv", Header + line * 5)
    val outcome = Exchange.run("--from", file.toString, "--json", "-")
    assert(outcome.out.contains(s"\"balance\": ${BigInt(Int.MaxValue).pow(2) * 5}"), outcome.out)

  test("gzip input of several members is read, and a truncated one is rejected"):
    val file = Exchange.file("trades.csv.gz", "")
    Files.write(file, gzipped(Header + "1,10,5,true\n") ++ gzipped("2,1,1,false\n"))
    val outcome = Exchange.run("--from", file.toString, "--json", "-")
    assertEquals(ujson.read(outcome.out)("balance").num, 49.0)

    val whole = gzipped(Header + "1,10,5,true\n" * 1000)
    Files.write(file, whole.take(whole.length / 2))
    val cut = Exchange.run("--from", file.toString)
    assertEquals(cut.code, 2)
    assert(cut.err.contains("cannot be read on"), cut.err)

  test("a malformed line is rejected with line, column and reason"):
    val range = "is not a whole number from -2147483648 to 2147483647"
    def line(text: String) = stopped(Header + "1,2,3,true\n\n" + text)
    assertEquals(line("1,ten,3,true\n"), s"line 4, column 2 (amount): \"ten\" $range")
    assertEquals(line("2147483648,1,3,true"), s"line 4, column 1 (ticket): \"2147483648\" $range")
    assertEquals(line("1,1,,true\n"), s"line 4, column 3 (price): \"\" $range")
    assertEquals(
      line("1,1,1,yes\n"),
      "line 4, column 4 (buy): \"yes\" is not true, false, 1 or 0"
    )
    assertEquals(
      line("1,2,3\n"),
      "line 4, column 4 (buy): the line has 3 fields, the header 4"
    )
    assertEquals(line("1,2,3,1,5\n"), "line 4, column 5: the line has 5 fields, the header 4")
    assertEquals(line("1,2,3,\"1\n"), "line 4, column 4: a quote is not closed on its line")
    assertEquals(line("1,2,3,1\r1,2,3,1\n"), "line 4, column 4: a carriage return within the line")
    assert(clue(line("1,\"2\"x,3,1\n")).startsWith("line 4, column 2: the quotes are wrong"))
    assertEquals(line("1,é,3,1\n"), s"line 4, column 2 (amount): \"é\" $range")

  test("a header with a missing or repeated column is rejected"):
    assertEquals(
      stopped("ticket,amount,buy\n"),
      "line 1, column 4 (price): the header has no such column: ticket,amount,buy"
    )
    assertEquals(
      stopped("ticket,amount,price,buy,Price\n"),
      "line 1, column 5 (price): the header has it twice"
    )
    assertEquals(stopped(""), "line 1, column 1: the file is empty, without a header")

  test("a byte order mark before the header is skipped"):
    val file = Exchange.file("trades.csv", "\uFEFF" + Header + "1,2,3,true\n")
    assertEquals(Exchange.run("--from", file.toString).code, 0)

  test("a line beyond the length limit is rejected"):
    val words = stopped(Header + "1" * (ByteLines.LongestBytes + 1))
    assertEquals(words, s"line 2 is longer than ${ByteLines.LongestBytes} bytes")

  test("bytes after a gzip member that are no further member are an error"):
    val file = Exchange.file("trades.csv.gz", "")
    val first = gzipped(Header + "1,10,5,true\n")
    val second = gzipped("2,1,1,false\n")
    val flipped = second.clone
    flipped(2) = 9 // the method of compression, which is always 8
    for bytes <- Seq(first ++ second.take(5), first ++ flipped, first ++ Array[Byte](1)) do
      Files.write(file, bytes)
      val outcome = Exchange.run("--from", file.toString)
      assertEquals(outcome.code, 2, outcome.err)
      assert(clue(outcome.err).contains("cannot be read on"))
      assert(clue(outcome.err).contains("not a further member"))

  test("members that end at every place of the decompressor's buffer are read"):
    val file = Exchange.file("trades.csv.gz", "")
    val random = java.util.SplittableRandom(1)
    def member(lines: Int) =
      gzipped((1 to lines).map(_ => s"${random.nextInt(1 << 20)},1,1,true\n").mkString)
    val sizes = Seq.fill(4000)(random.nextInt(40))
    Files.write(file, (gzipped(Header) +: sizes.map(member)).flatten.toArray)
    assert(Files.size(file) > 4 * 0x10000)
    val outcome = Exchange.run("--from", file.toString, "--json", "-")
    assertEquals(outcome.code, 0, outcome.err)
    assert(clue(outcome.err).contains(s"${Formatting.spaced(sizes.sum.toLong)} lines read"))

  test("a gzip header that is damaged or truncated is an error with the file's name"):
    val file = Exchange.file("trades.csv.gz", "")
    for bytes <- Seq(gzipped(Header).take(2), gzipped(Header).updated(2, 9.toByte)) do
      Files.write(file, bytes)
      val outcome = Exchange.run("--from", file.toString)
      assertEquals(outcome.code, 2, outcome.err)
      assert(clue(outcome.err).contains(s"$file: line 1: cannot be read on"))

  test("blank lines before the header are not counted"):
    val file = Exchange.file("trades.csv", "\n\r\n" + Header + "1,10,5,true\n")
    val outcome = Exchange.run("--from", file.toString)
    assertEquals(outcome.code, 0, outcome.err)

  test("an existing file of --rejects stays as it is if the header is bad"):
    val file = Exchange.file("trades.csv", "ticket;amount;price;buy\n")
    val rejects = file.resolveSibling("rejects.csv").nn
    Files.writeString(rejects, "earlier")
    val outcome = Exchange.run("--from", file.toString, "--rejects", rejects.toString)
    assertEquals(outcome.code, 2, outcome.err)
    assertEquals(Files.readString(rejects), "earlier")

  test("--rejects and --json on a full disk are a failure that names the option"):
    undercroft.tools.Requirement.DEV_FULL.require()
    val full = Path.of("/dev/full")
    val bad = Exchange.file("trades.csv", Header + "ten\n" * 10_000)
    val rejected = Exchange.run("--from", bad.toString, "--rejects", full.toString)
    assertEquals(rejected.code, 1, rejected.err)
    assert(clue(rejected.err).contains("--rejects /dev/full: cannot be written"))
    val good = Exchange.file("trades.csv", Header + "1,10,5,true\n")
    val json = Exchange.run("--from", good.toString, "--json", full.toString)
    assertEquals(json.code, 1, json.err)
    assert(clue(json.err).contains("--json /dev/full: cannot be written"))

  test("--rejects writes malformed lines byte for byte, and the counts add up"):
    val bad = Seq("x,1,1,true", "1,\u00ff\u0001,1,true\r", "1,2", "9999999999,1,1,true")
    val good = Seq("1,10,5,true", "2,10,4,false")
    val lines = Seq(bad(0), good(0), bad(1), "", bad(2), good(1), bad(3))
    val file = Exchange.file("trades.csv", "")
    Files.write(file, (Header + lines.mkString("\n")).getBytes(ISO_8859_1))
    val rejects = file.resolveSibling("rejects.csv").nn
    val outcome =
      Exchange.run("--from", file.toString, "--rejects", rejects.toString, "--json", "-")
    assertEquals(outcome.code, 0, outcome.err)
    val json = ujson.read(outcome.out)
    assertEquals(json("read").num, 6.0)
    assertEquals(json("accepted").num, 2.0)
    assertEquals(json("rejected").num, 4.0)
    assertEquals(json("balance").num, 10.0)
    assertEquals(Files.readString(rejects, ISO_8859_1), bad.map(_ + "\n").mkString)
    assert(outcome.err.contains("line 2, column 1 (ticket): \"x\""), outcome.err)
    assert(outcome.err.contains(s"6 lines read, 2 accepted, 4 rejected to $rejects"), outcome.err)

  test("ByteLines splits lines independently of the chunks that the stream returns"):
    val text = (1 to 2000).map(i => "x" * (i * 7 % 301)).mkString("\n")
    val drop = new java.io.ByteArrayInputStream(text.getBytes(UTF_8)):
      override def read(bytes: Array[Byte] | Null, from: Int, length: Int): Int =
        super.read(bytes, from, math.min(length, 13))
    assertEquals(ByteLines(drop).toSeq, text.split("\n", -1).toSeq.map(_.nn))
end RealTradesTest

package undercroft.cli
package internal.csv

import internal.sql.JsonNumbers
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.nio.charset.StandardCharsets.UTF_8
import undercroft.duckdb.DuckDb
import undercroft.duckdb.internal.api.Addresses
import undercroft.duckdb.internal.result.{ResultField, ResultSink, ResultVector}

/** The forms of the texts in the columns of a result, which decide the SQL types that keep each
  * value, else VARCHAR. A value is kept if its digits can be computed from the stored number.
  */
private[cli] final class TextForms(count: Int) extends ResultSink, CsvRows:
  private val texts = Array.fill(count)(TextForms.Column())

  private var size = 0L

  def columns: Vector[TextForms.Column] = texts.toVector

  /** Adds the text in these bytes. */
  def add(column: Int, bytes: Array[Byte]): Unit =
    texts(column).add(bytes, 0, bytes.length): Unit

  def add(batch: CsvBatch): Unit =
    for i <- texts.indices do texts(i).add(batch, i, 0)
    addRows(batch.rows)

  def addRows(count: Int): Unit = size += count

  /** Adds the texts of other rows of the columns. */
  def addAll(other: TextForms): TextForms =
    size += other.size
    for (column, added) <- texts.zip(other.texts) do column.addAll(added)
    this

  /** The number of rows. */
  def rows: Long = size

  /** Whether the columns have the same types, with the same values that are stored as a null, and
    * texts of as many bytes.
    */
  def isLike(other: TextForms): Boolean =
    texts.zip(other.texts).forall((column, expected) => column.isLike(expected))

  private[undercroft] def begin(fields: Vector[ResultField]): Unit = ()

  private[undercroft] def add(vectors: Vector[ResultVector], count: Int): Unit =
    size += count
    for (column, vector) <- texts.zip(vectors) do column.add(vector, count)

  private[undercroft] def addTexts(rows: Vector[Vector[String]]): Unit = ()
end TextForms

private[cli] object TextForms:
  /** The forms of the texts of expressions over the rows of a source. */
  def read(database: DuckDb, expressions: Vector[String], source: String): TextForms =
    val forms = TextForms(expressions.size)
    val texts = expressions.map(text => s"cast($text as varchar)")
    database.run(s"select ${texts.mkString(", ")} from $source", forms)
    forms

  /** The value of a text as its type. An empty text is null, unless it is a text. */
  def cast(text: String, sqlType: String): String =
    if sqlType == "VARCHAR" then text else s"cast(nullif(trim($text), '') as $sqlType)"

  // A set of bits for each column: the forms that its texts have.
  val Bool = 1L
  val Whole = 2L
  val Real = 4L
  val Date = 8L
  val Time = 16L
  val TimeNanos = 32L
  val Timestamp = 64L
  val TimestampNanos = 128L
  val Instant = 256L
  val InstantNanos = 512L
  val Uuid = 1024L

  /** An integer that no Double has. */
  val LongWhole = 2048L
  val Other = 4096L

  /** Moments in microseconds outside the range of nanoseconds in a Long, 1677 to 2262. */
  val FarTimestamp = 8192L
  val FarInstant = 16384L

  /** The type of texts of these forms. */
  def typeOf(forms: Long): String =
    def within(allowed: Long) = forms != 0 && (forms & ~allowed) == 0
    if within(Bool) then "BOOLEAN"
    else if within(Whole | LongWhole) then "BIGINT"
    else if within(Whole | Real) then "DOUBLE"
    else if within(Date) then "DATE"
    else if within(Time) then "TIME"
    else if within(Time | TimeNanos) then "TIME_NS"
    else if within(Date | Timestamp | FarTimestamp) then "TIMESTAMP"
    else if within(Timestamp | TimestampNanos) then "TIMESTAMP_NS"
    else if within(Instant | FarInstant) then "TIMESTAMPTZ"
    else if within(Instant | InstantNanos) then "TIMESTAMPTZ_NS"
    else if within(Uuid) then "UUID"
    else "VARCHAR"

  /** The forms of a column's texts. */
  final class Column:
    private var forms = 0L

    /** Whether the type is VARCHAR, whatever other texts there are. */
    private var isText = false
    private var hasRare = false
    private var nulls = false
    private var blanks = false
    private var longestText = 0L

    /** Whether a value is null as a text, or if the type is not VARCHAR. */
    def hasNulls(isVarChar: Boolean): Boolean = nulls || blanks && !isVarChar

    /** Whether DuckDB casts all texts as they are: none has blanks, or a rare form. */
    def arePlain: Boolean = !blanks && !hasRare

    /** The bytes of the longest text. */
    def longest: Long = longestText

    /** The SQL type of the texts. */
    def sqlType: String = typeOf(forms)

    def isLike(other: Column): Boolean =
      def facts(column: Column) =
        val isVarChar = column.sqlType == "VARCHAR" || column.sqlType == "UUID"
        if isVarChar then ("", column.hasNulls(true), true, column.longest)
        else (column.sqlType, column.hasNulls(false), column.arePlain, 0L)
      facts(this) == facts(other)

    def add(vector: ResultVector, count: Int): Unit =
      val isValid = vector.isValid
      var i = 0
      while i < count do
        if isValid || !vector.isNull(i) then
          addText(vector.textAt(i), vector.textBytes(i) & 0xffffffffL)
        else addNull()
        i += 1

    /** Adds a text of DuckDB. */
    private def addText(at: Long, length: Long): Unit =
      if length > Int.MaxValue - 8 then
        longestText = Math.max(longestText, length)
        addForm(Other)
      else
        val bytes = new Array[Byte](length.toInt)
        MemorySegment.copy(Addresses.memory, JAVA_BYTE, at, bytes, 0, bytes.length)
        add(bytes, 0, bytes.length): Unit

    def addNull(): Unit = nulls = true

    /** Adds the texts of rows of a batch, from `first` on. */
    def add(batch: CsvBatch, column: Int, first: Int): Unit =
      var text = first * batch.columns + column
      while text < batch.rows * batch.columns do
        val length = batch.lengths(text)
        if length < 0 then addNull() else add(batch.bytes, batch.starts(text), length): Unit
        text += batch.columns

    /** Adds the text in the bytes `[at, at + length)`; returns its form, 0 for a null and a rare
      * form.
      */
    def add(bytes: Array[Byte], at: Int, length: Int): Long =
      longestText = Math.max(longestText, length)
      if length == 0 then
        blanks = true
        Rare
      else if isText then Other
      else if shortWhole(bytes, at, length) >= 0 then
        addForm(Whole)
        Whole
      else
        val text = TextBytes(bytes, at, length)
        val form = formOf(text)
        if form == Rare then addRare(text.text) else addForm(form)
        form

    /** Adds a text that is a short whole number. */
    def addWhole(length: Int): Unit =
      longestText = Math.max(longestText, length)
      if !isText then addForm(Whole)

    private def addRare(text: String): Unit =
      val trimmed = RareTexts.trimmed(text)
      if trimmed.isEmpty then blanks = true
      else
        val form = RareTexts.formOf(trimmed)
        hasRare ||= form != Other
        addForm(form)

    private def addForm(form: Long): Unit =
      if (forms & form) == 0 then
        forms |= form
        isText = typeOf(forms) == "VARCHAR"

    /** Adds the texts of another column. */
    def addAll(other: Column): Unit =
      longestText = Math.max(longestText, other.longestText)
      nulls ||= other.nulls
      blanks ||= other.blanks
      hasRare ||= other.hasRare
      forms |= other.forms
      isText = isText || other.isText || typeOf(forms) == "VARCHAR" && forms != 0
  end Column

  /** A text that [[RareTexts]] reads. */
  private[cli] inline val Rare = 0L

  /** The form of a text that is not empty, if its bytes decide it. */
  private[cli] def formOf(bytes: TextBytes): Long =
    val length = bytes.length
    val (first, last) = (bytes(0), bytes(length - 1))
    // Blanks of any language around a text are removed.
    if first <= ' ' || last <= ' ' then Rare
    else if length == 36 && bytes.isUuid then Uuid
    else if bytes.isDigit(0) || first == '.' || first == '-' && length > 1 && bytes(1) < 'A' then
      ofNumeric(bytes)
    else if bytes.isWord("true") || bytes.isWord("false") then Bool
    else if RealWords.exists(bytes.isWord) then Real
    else Other

  private val RealWords = Vector("nan", "inf", "-inf", "infinity", "-infinity")

  /** The most digits of an integer that is always a Double. */
  private[cli] inline val DoubleDigits = 15

  private inline val LongDigits = 19

  /** The most bytes of a number with a fraction. */
  private inline val MostDigits = 128

  /** The number of a text of at most [[DoubleDigits]] digits, the first of which is zero only if it
    * is the only one; -1 for other texts.
    */
  private[cli] def shortWhole(bytes: Array[Byte], at: Int, length: Int): Long =
    if length == 0 || length > DoubleDigits || length > 1 && bytes(at) == '0' then -1
    else
      var number = 0L
      var k = at
      val end = at + length
      while k < end && bytes(k) >= '0' && bytes(k) <= '9' do
        number = number * 10 + (bytes(k) - '0')
        k += 1
      if k == end then number else -1

  private def ofNumeric(bytes: TextBytes): Long =
    val start = if bytes(0) == '-' then 1 else 0
    val end = bytes.digits(start)
    val count = end - start
    val hasZeros = count > 1 && bytes(start) == '0'
    if end == bytes.length then
      if count == 0 || hasZeros || start == 1 && bytes(1) == '0' then Other
      else if count <= DoubleDigits then Whole
      else
        val number = if count <= LongDigits then bytes.text.toLongOption else None
        number.fold(Other): long =>
          // The largest Long is what the conversion back is for larger ones, too.
          if long.toDouble.toLong == long && long != Long.MaxValue then Whole else LongWhole
    else if start == 0 && count == 4 && bytes(4) == '-' && bytes.length >= 10 then ofDate(bytes)
    else if start == 0 && count == 2 && bytes(2) == ':' then
      val fraction = bytes.clock(0)
      if fraction < 0 || bytes.length != bytes.clockEnd(0, fraction) then Rare
      else if fraction <= 6 then Time
      else TimeNanos
    else if !hasZeros && bytes.isFraction(end, hasDigits = count > 0) then
      val isShort = bytes.length <= DoubleDigits && bytes(end) == '.' &&
        bytes.digits(end + 1) == bytes.length
      if isShort || bytes.length <= MostDigits && JsonNumbers.isKept(bytes.text) then Real
      else Other
    else Rare
    end if
  end ofNumeric

  private def ofDate(bytes: TextBytes): Long =
    val year = bytes.number(0, 4)
    if !bytes.isDate then Rare
    else if bytes.length == 10 then Date
    else if bytes(10) != ' ' && bytes(10) != 'T' then Rare
    else
      val fraction = bytes.clock(11)
      if fraction < 0 then Rare
      else
        val isNanos = fraction > 6
        val end = bytes.clockEnd(11, fraction)
        def form(near: Long, nanos: Long, far: Long) =
          if year > 1677 && year < 2262 then if isNanos then nanos else near
          else if isNanos || year == 1677 || year == 2262 then Rare
          else far
        if end == bytes.length then form(Timestamp, TimestampNanos, FarTimestamp)
        else if bytes.isOffset(end) then form(Instant, InstantNanos, FarInstant)
        else Rare
  end ofDate
end TextForms

/** The bytes of a text, in which characters outside ASCII are negative. */
private final class TextBytes(bytes: Array[Byte], at: Int, val length: Int):
  def apply(k: Int): Byte = bytes(at + k)

  def text: String = String(bytes, at, length, UTF_8)

  def isDigit(k: Int): Boolean = k < length && apply(k) >= '0' && apply(k) <= '9'

  /** The end of the digits from `from` on. */
  def digits(from: Int): Int =
    var end = from
    while isDigit(end) do end += 1
    end

  def number(from: Int, until: Int): Int =
    var value = 0
    var k = from
    while k < until do
      value = 10 * value + apply(k) - '0'
      k += 1
    value

  /** Whether the text is a word in small or large letters. */
  def isWord(word: String): Boolean =
    var k = if length == word.length then 0 else length
    while k < length && (apply(k) | 0x20) == (word(k) | 0x20) do k += 1
    k == length && length == word.length

  def isUuid: Boolean = (0 until length).forall: k =>
    val byte = apply(k)
    if k == 8 || k == 13 || k == 18 || k == 23 then byte == '-'
    else isDigit(k) || byte >= 'a' && byte <= 'f'

  /** Whether the rest is the fraction and the exponent of a number.
    *
    * @param hasDigits
    *   whether the number has digits before the fraction
    */
  def isFraction(from: Int, hasDigits: Boolean): Boolean =
    val point = if apply(from) == '.' then digits(from + 1) else from
    if !hasDigits && point <= from + 1 then false
    else if point == length then true
    else if (apply(point) | 0x20) != 'e' then false
    else
      val sign = point + 1
      val first =
        if sign < length && (apply(sign) == '-' || apply(sign) == '+') then sign + 1 else sign
      val end = digits(first)
      end == length && end > first && end - first <= 4

  private def isPair(from: Int): Boolean = isDigit(from) && isDigit(from + 1)

  /** Whether the text begins with a day of the years 1 to 9999; its first 5 bytes are a year.
    */
  def isDate: Boolean =
    isPair(5) && apply(7) == '-' && isPair(8) && number(0, 4) > 0 && {
      val (month, day) = (number(5, 7), number(8, 10))
      month >= 1 && month <= 12 && day >= 1 &&
      day <= java.time.YearMonth.of(number(0, 4), month).lengthOfMonth
    }

  /** The digits of the fraction of a time of day, up to 9; -1 if there is no time. */
  def clock(from: Int): Int =
    val isClock = isPair(from) && from + 8 <= length && apply(from + 2) == ':' &&
      isPair(from + 3) && apply(from + 5) == ':' && isPair(from + 6) &&
      number(from, from + 2) <= 23 && number(from + 3, from + 5) <= 59 &&
      number(from + 6, from + 8) <= 59
    if !isClock then -1
    else if from + 8 == length || apply(from + 8) != '.' then 0
    else
      val count = digits(from + 9) - from - 9
      if count >= 1 && count <= 9 then count else -1

  /** The end of a time of day with a number of digits. */
  def clockEnd(from: Int, fraction: Int): Int =
    from + 8 + (if fraction == 0 then 0 else 1 + fraction)

  /** Whether the rest is an offset from UTC of less than 15 hours. */
  def isOffset(from: Int): Boolean =
    val sign = apply(from)
    if sign == 'Z' then from + 1 == length
    else
      (sign == '+' || sign == '-') && isPair(from + 1) && number(from + 1, from + 3) < 15 &&
      (from + 3 == length || from + 6 == length && apply(from + 3) == ':' &&
        isPair(from + 4) && number(from + 4, from + 6) <= 59)
end TextBytes

package undercroft.cli

import undercroft.duckdb.DuckDb

/** The types of columns whose texts a file states: a type that keeps each value, else VARCHAR. A
  * value is kept if its digits can be computed from the stored number.
  */
private[cli] object TextTypes:
  // A set of bits for each column: the forms that its texts have.
  private val Bool = 1L
  private val Whole = 2L
  private val Real = 4L
  private val Date = 8L
  private val Time = 16L
  private val TimeNanos = 32L
  private val Timestamp = 64L
  private val TimestampNanos = 128L
  private val Instant = 256L
  private val InstantNanos = 512L
  private val Uuid = 1024L

  /** An integer that no Double has. */
  private val LongWhole = 2048L
  private val Other = 4096L

  /** The type for each expression over the rows of a source. */
  def of(database: DuckDb, expressions: Vector[String], source: String): Vector[String] =
    if expressions.isEmpty then Vector()
    else
      val forms = expressions.map(text => s"coalesce(bit_or(${form(text)}), 0)")
      database.query(s"select ${forms.mkString(", ")} from $source").rows(0).map: cell =>
        typeOf(cell.long)

  /** The value of a text as its type. An empty text is null, unless it is a text. */
  def cast(text: String, sqlType: String): String =
    if sqlType == "VARCHAR" then text else s"cast(nullif(trim($text), '') as $sqlType)"

  private def typeOf(forms: Long): String =
    def within(allowed: Long) = forms != 0 && (forms & ~allowed) == 0
    if within(Bool) then "BOOLEAN"
    else if within(Whole | LongWhole) then "BIGINT"
    else if within(Whole | Real) then "DOUBLE"
    else if within(Date) then "DATE"
    else if within(Time) then "TIME"
    else if within(Time | TimeNanos) then "TIME_NS"
    else if within(Date | Timestamp) then "TIMESTAMP"
    else if within(Timestamp | TimestampNanos) then "TIMESTAMP_NS"
    else if within(Instant) then "TIMESTAMPTZ"
    else if within(Instant | InstantNanos) then "TIMESTAMPTZ_NS"
    else if within(Uuid) then "UUID"
    else "VARCHAR"

  private val Words = "'nan', 'inf', '-inf', 'infinity', '-infinity'"
  private val Day = raw"[0-9]{4,7}-[0-9]{2}-[0-9]{2}( \(BC\))?"
  private val Clock = "([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
  private val Micros = raw"(\.[0-9]{1,6})?"
  private val Nanos = raw"\.[0-9]{7,9}"
  private val Offset = "(Z|[+-][0-9]{2}(:?[0-9]{2})?)"
  private val Number = raw"-?(0|[1-9][0-9]*)?(\.[0-9]*)?([eE][+-]?[0-9]{1,4})?"

  /** The form of a text as a SQL expression, null for a null and an empty text. */
  private def form(text: String): String =
    val t = s"trim($text)"
    def like(pattern: String, sqlType: String, bit: Long) =
      s"when regexp_full_match($t, '$pattern') and try_cast($t as $sqlType) is not null then $bit"
    val whole = s"try_cast($t as bigint)"
    s"""case when $t is null or $t = '' then null
       |when not regexp_matches($t, '^[-.0-9a-f]') then
       |  case when lower($t) in ('true', 'false') then $Bool when lower($t) in ($Words) then $Real
       |  else $Other end
       |when $whole is not null and cast($whole as varchar) = $t then
       |  if(cast(cast($whole as double) as hugeint) = $whole, $Whole, $LongWhole)
       |when regexp_full_match($t, '$Number') and regexp_matches($t, '[.eE]') and ${isKept(t)}
       |  then $Real
       |${like(Day, "date", Date)}
       |${like(Clock + Micros, "time", Time)}
       |${like(Clock + Nanos, "time_ns", TimeNanos)}
       |${like(s"$Day[ T]$Clock$Micros", "timestamp", Timestamp)}
       |${like(s"$Day[ T]$Clock$Nanos", "timestamp_ns", TimestampNanos)}
       |${like(s"$Day[ T]$Clock$Micros$Offset", "timestamptz", Instant)}
       |${like(s"$Day[ T]$Clock$Nanos$Offset", "timestamptz_ns", InstantNanos)}
       |${like("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "uuid", Uuid)}
       |when lower($t) in ('true', 'false') then $Bool when lower($t) in ($Words) then $Real
       |else $Other end""".stripMargin
  end form

  /** Whether a Double keeps the digits of a number: all doubles keep 15, and more digits must be as
    * `printf` writes the double.
    */
  private def isKept(number: String): String =
    def digits(text: String) =
      s"ltrim(replace(replace(regexp_replace($text, '[eE].*', ''), '-', ''), '.', ''), '0')"
    val double = s"try_cast($number as double)"
    val count = s"length(${digits(number)})"
    s"""case when $double is null or not isfinite($double) then false
       |when $count = 0 then true
       |when abs($double) < 1e-300 or $count > 15 then $double <> 0 and $count <= $MostDigits and
       |  ${digits(s"printf('%.' || ($count - 1) || 'e', $double)")} = ${digits(number)}
       |else true end""".stripMargin

  /** The digits that `printf` writes; a text with more is stored as it is. */
  private val MostDigits = 100
end TextTypes

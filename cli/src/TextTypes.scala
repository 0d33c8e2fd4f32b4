package undercroft.cli

import undercroft.duckdb.DuckDb

/** The types of columns whose texts a file states: a type that keeps each value, else VARCHAR. A
  * value is kept if its digits can be computed from the stored number.
  */
private[cli] object TextTypes:
  import TextForms.*

  /** The type for each expression over the rows of a source. */
  def of(database: DuckDb, expressions: Vector[String], source: String): Vector[String] =
    if expressions.isEmpty then Vector()
    else of(database, expressions, source, read(database, expressions, source))

  /** The types of texts that have these forms. */
  def of(
      database: => DuckDb,
      expressions: Vector[String],
      source: String,
      forms: TextForms
  ): Vector[String] = expressions.zip(forms.columns).map: (text, column) =>
    val others = column.undecided match
      case Some(undecided) if undecided.isEmpty => 0L
      case Some(undecided) =>
        val listed = undecided.map(Sql.text).mkString("[", ", ", "]")
        decided(database, "v", s"(select unnest($listed) as v)")
      case None => decided(database, text, source)
    typeOf(column.decided | others)

  /** The forms of the texts. */
  def read(database: DuckDb, expressions: Vector[String], source: String): TextForms =
    val forms = TextForms(expressions.size)
    val texts = expressions.map(text => s"cast($text as varchar)")
    database.run(s"select ${texts.mkString(", ")} from $source", forms)
    forms

  /** The forms of texts, as SQL finds them. */
  private def decided(database: DuckDb, text: String, source: String): Long =
    database.query(s"select coalesce(bit_or(${form(text)}), 0) from $source")(0, 0).long

  /** The value of a text as its type. An empty text is null, unless it is a text. */
  def cast(text: String, sqlType: String): String =
    if sqlType == "VARCHAR" then text else s"cast(nullif(trim($text), '') as $sqlType)"

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
       |${like(s"$Day[ T]$Clock$Micros", "timestamp_ns", Timestamp)}
       |${like(s"$Day[ T]$Clock$Micros", "timestamp", FarTimestamp)}
       |${like(s"$Day[ T]$Clock$Nanos", "timestamp_ns", TimestampNanos)}
       |${like(s"$Day[ T]$Clock$Micros$Offset", "timestamptz_ns", Instant)}
       |${like(s"$Day[ T]$Clock$Micros$Offset", "timestamptz", FarInstant)}
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

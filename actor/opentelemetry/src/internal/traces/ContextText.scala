package undercroft.actor.opentelemetry
package internal.traces

import io.opentelemetry.context.propagation.{TextMapGetter, TextMapSetter}
import java.util.LinkedHashMap
import undercroft.actor.nullable

/** A context as text: a line `key=value` for each field that the propagators of the program write,
  * such as `traceparent`, `tracestate` and `baggage` of the W3C. Fields that do not fit into
  * [[ContextText.MaxCharacters]] are left out. Confined to one thread.
  */
private[opentelemetry] final class ContextText:
  private val fields = LinkedHashMap[String, String]()
  private var length = 0

  private def set(key: String, value: String): Unit =
    val isLine = key.indexOf('=') < 0 && key.indexOf('\n') < 0 && value.indexOf('\n') < 0
    val added = key.length + value.length + 2
    if isLine && length + added <= ContextText.MaxCharacters then
      length += added
      fields.put(key, value): Unit

  /** The lines, or null if there is no field. */
  def written: String | Null =
    if fields.isEmpty then null
    else
      val text = StringBuilder()
      fields.forEach((key, value) => text ++= key += '=' ++= value += '\n': Unit)
      text.toString
end ContextText

private[opentelemetry] object ContextText:
  /** The longest text: more than the largest `traceparent` and `tracestate` of the W3C. */
  val MaxCharacters = 1024

  /** The fields of a text that may be forged; lines without a key are skipped. */
  def parse(text: String): ContextText =
    val result = ContextText()
    text.linesIterator.foreach: line =>
      val end = line.indexOf('=')
      if end > 0 then result.set(line.substring(0, end), line.substring(end + 1))
    result

  val setter: TextMapSetter[ContextText] = (text, key, value) =>
    if text != null && key != null && value != null then text.set(key, value)

  val getter: TextMapGetter[ContextText] = new TextMapGetter[ContextText]:
    def keys(text: ContextText): java.lang.Iterable[String] = text.fields.keySet
    def get(text: ContextText | Null, key: String): String | Null =
      if text == null then null
      else
        text.fields.get(key) match
          case null =>
            var found: String | Null = null
            text.fields.forEach((name, value) => if name.equalsIgnoreCase(key) then found = value)
            found
          case value => value
end ContextText

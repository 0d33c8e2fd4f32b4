package undercroft.pekko
package internal.wire

/** Names in a manifest: US-ASCII, because Pekko's Artery sends manifests as that. Any other
  * character, and the characters of the manifest's grammar, are `%` and four hexadecimal digits.
  */
private[pekko] object WireName:
  private val grammar = "%()<>[]:,|=#"

  def isPlain(char: Char): Boolean = char > ' ' && char < 0x7f && grammar.indexOf(char) < 0

  def escape(name: String): String =
    if name.forall(isPlain) then name
    else name.flatMap(char => if isPlain(char) then char.toString else f"%%${char.toInt}%04X")

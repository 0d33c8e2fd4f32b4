package undercroft.actor
package internal.cell

/** The paths of actors: see [[ActorRef.path]]. Computed when they are requested; an actor stores no
  * path. Thread-safe.
  */
private[actor] object ActorPaths:

  /** The path of an actor. Cost: O(depth), and a walk over the older siblings at each level. */
  def of(cell: ActorCell[?]): String =
    var segments = List.empty[String]
    var descendant: ActorCell[?] = cell
    var parent = cell.parent
    while parent != null do
      val isOldest = parent.family().isOldestOfItsName(descendant)
      segments ::= segment(descendant, isOldest)
      descendant = parent
      parent = descendant.parent
    segments.mkString("/")

  /** The segments of the live children of one actor, youngest first like the children. */
  def segments(children: Array[ActorCell[?]]): Array[String] =
    val names = scala.collection.mutable.HashSet[String]()
    val result = new Array[String](children.length)
    for i <- children.indices.reverse do
      val name = children(i).givenName
      result(i) = segment(children(i), name.nonEmpty && !children(i).isStopped && names.add(name))
    result

  /** The live actor with this path below `guardian`, or null. */
  def find(guardian: ActorCell[?], path: String): ActorCell[?] | Null =
    val segments = path.split("/", -1)
    var cell: ActorCell[?] | Null = guardian
    var i = 0
    while cell != null && i < segments.length do
      val family = cell.familyOrNull
      cell = if family == null then null else child(family.all, segments(i).nn)
      i += 1
    if cell == null || cell.isStopped then null else cell

  private def child(children: Array[ActorCell[?]], segment: String): ActorCell[?] | Null =
    val mark = segment.indexOf('#')
    val name = if mark < 0 then segment else segment.substring(0, mark)
    val number = if mark < 0 then "" else segment.substring(mark + 1)
    val found =
      if mark < 0 && name.isEmpty then None
      else
        // The oldest one is the last.
        children.reverseIterator.find: cell =>
          val hasNumber = mark < 0 || cell.number.toString == number
          hasNumber && !cell.isStopped && escaped(cell.givenName) == name
    found.orNull

  private def segment(cell: ActorCell[?], isOldest: Boolean): String =
    val name = escaped(cell.givenName)
    if isOldest && name.nonEmpty then name else s"$name#${cell.number}"

  private def escaped(name: String): String =
    if name.exists(c => c == '/' || c == '#' || c == '%') then
      name.replace("%", "%25").nn.replace("/", "%2F").nn.replace("#", "%23").nn
    else name
end ActorPaths

package undercroft.tools

/** The version of a JDK, as far as the build tells versions apart: 25.0.3 is (25, 0, 3). */
final case class JdkVersion(feature: Int, interim: Int, update: Int) extends Ordered[JdkVersion]:

  def compare(that: JdkVersion): Int =
    Ordering[(Int, Int, Int)].compare(
      (feature, interim, update),
      (that.feature, that.interim, that.update)
    )

  override def toString = s"$feature.$interim.$update"

  /** What to know of this version before relying on it; None where nothing is known. */
  def warning: Option[String] =
    Option.when(feature == 25 && this < JdkVersion(25, 0, 3))(
      s"JDK $this has JDK-8377811 (G1 may corrupt pinned arrays): use 25.0.3 or later"
    )

object JdkVersion:

  /** Reads `25`, `25.0.3`, `26-ea` and the old `1.8.0_412`; None for anything else. */
  def parse(text: String): Option[JdkVersion] =
    val numbers =
      text.takeWhile(c => c != '-' && c != '+').split("[._]", -1).toSeq.map(_.toIntOption)
    if numbers.exists(_.isEmpty) then None
    else
      numbers.flatten match
        case Seq(1, feature, rest*) => Some(of(feature, rest))
        case Seq(feature, rest*)    => Some(of(feature, rest))
        case _                      => None

  private def of(feature: Int, rest: Seq[Int]) =
    JdkVersion(feature, rest.headOption.getOrElse(0), rest.lift(1).getOrElse(0))
end JdkVersion

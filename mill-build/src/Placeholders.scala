package undercroft.tools

/** Finds settings that are still placeholders: a release must not contain them. */
object Placeholders:
  /** The names and values that contain a host reserved by RFC 2606 or are a snapshot version. */
  def of(settings: Seq[(String, String)]): Seq[String] =
    settings.collect {
      case (name, value) if value.isBlank               => s"$name is empty"
      case (name, value) if value.contains(".example")  => s"$name is a placeholder: $value"
      case (name, value) if value.endsWith("-SNAPSHOT") => s"$name is a snapshot: $value"
    }

package undercroft.struct

import java.nio.file.{Files, Path}
import java.util.concurrent.TimeUnit

/** Shapes as C declarations, and the C compiler. */
object InC:
  private def name(kind: Shape.Kind, packed: Boolean): String = kind match
    case Shape.Kind.Boolean         => "_Bool"
    case Shape.Kind.Byte            => "int8_t"
    case Shape.Kind.Short           => "int16_t"
    case Shape.Kind.Char            => "uint16_t"
    case Shape.Kind.Int             => "int32_t"
    case Shape.Kind.Long            => "int64_t"
    case Shape.Kind.Float           => "float"
    case Shape.Kind.Double          => "double"
    case Shape.Kind.Text(_)         => "char"
    case Shape.Kind.Elements(of, _) => name(of, packed)
    case Shape.Kind.Ordinal(of)     => s"u${name(of, packed)}"
    case Shape.Kind.BigEndian(of)   => name(of, packed)
    case Shape.Kind.TextRef         => "int64_t"
    case Shape.Kind.BytesRef        => "int64_t"
    case Shape.Kind.Union(members)  => this.members("union", members, packed = false)
    case Shape.Kind.Structs(of, _)  => declared(of, packed)

  def declared(shape: Shape, packed: Boolean): String = shape match
    case Shape.Primitive(kind, _, _) => name(kind, packed)
    case Shape.Record(_, fields)     => members("struct", fields, packed)
    case Shape.Union(_, fields)      => members("union", fields, packed)

  private def members(of: String, fields: List[Shape.Field], packed: Boolean): String =
    val declarations = fields.map: field =>
      val aligned =
        if packed || field.alignment <= field.shape.alignment then ""
        else s" __attribute__((aligned(${field.alignment})))"
      s"${declared(field.shape, packed)} ${field.name}${sizes(field.shape)}$aligned;"
    s"$of ${if packed then "__attribute__((packed)) " else ""}{ ${declarations.mkString(" ")} }"

  private def sizes(shape: Shape): String = shape match
    case Shape.Primitive(Shape.Kind.Elements(Shape.Kind.Text(bytes), count), _, _) =>
      s"[$count][$bytes]"
    case Shape.Primitive(Shape.Kind.Text(bytes), _, _)        => s"[$bytes]"
    case Shape.Primitive(Shape.Kind.Elements(_, count), _, _) => s"[$count]"
    case Shape.Primitive(Shape.Kind.Structs(_, count), _, _)  => s"[$count]"
    case Shape.Primitive(kind, _, _) if kind.isOutOfLine      => "[2]"
    case _                                                    => ""

  /** Runs a command in a folder and returns its output. A command that fails or does not end fails
    * the test.
    */
  def run(folder: Path, command: String*): String =
    val out = folder.resolve("out.txt").nn
    val process =
      ProcessBuilder(command*).redirectErrorStream(true).nn.redirectOutput(out.toFile).nn
    val started = process.directory(folder.toFile).nn.start().nn
    val hasEnded = started.waitFor(300, TimeUnit.SECONDS)
    val output = Files.readString(out).nn
    if !hasEnded || started.exitValue != 0 then throw AssertionError(s"${command.head}: $output")
    output

  /** A temporary folder that exists while `use` runs. */
  def inFolder[A](use: Path => A): A =
    val folder = Files.createTempDirectory("in-c").nn
    try use(folder)
    finally
      val files = Files.walk(folder).nn
      files.sorted(java.util.Comparator.reverseOrder).nn.forEach(Files.delete(_))
      files.close()
end InC

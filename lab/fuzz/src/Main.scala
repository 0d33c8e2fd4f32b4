package undercroft.lab.fuzz

import java.nio.file.{Files, Path}

/** The long form: Jazzer on one target after the other, each in a JVM of its own. */
object Main:
  private val usage =
    s"""./mill lab.fuzz.run TARGET|all [--minutes N]
       |
       |  TARGET       one of ${Target.all.map(_.name).mkString(", ")}
       |  --minutes N  how long each target runs: 10 unless said otherwise
       |  --seeds      writes the seeds of all targets again
       |
       |Inputs that a reader fails on are in out/fuzz; it ends with 1 if there is one.""".stripMargin

  def main(args: Array[String]): Unit =
    args.toList match
      case List("--seeds") => writeSeeds()
      case name :: rest =>
        val minutes = rest match
          case Nil                       => Some(10)
          case List("--minutes", number) => number.toIntOption.filter(_ > 0)
          case _                         => None
        val targets = if name == "all" then Target.all else Target.named(name).toSeq
        if minutes.isEmpty || targets.isEmpty then refuse()
        val failed = targets.filterNot(fuzz(_, minutes.get))
        if failed.nonEmpty then println(s"findings: ${failed.map(_.name).mkString(", ")}")
        System.exit(if failed.isEmpty then 0 else 1)
      case Nil => refuse()

  private def refuse(): Nothing =
    println(usage)
    sys.exit(2)

  private def writeSeeds(): Unit =
    for target <- Target.all do
      val folder = Target.seedFolder.resolve(target.name).nn
      Files.createDirectories(folder)
      for (bytes, i) <- target.samples.zipWithIndex do
        Files.write(folder.resolve(s"seed-$i"), bytes)

  /** Whether the target ran without a finding. */
  private def fuzz(target: Target, minutes: Int): Boolean =
    val out = Path.of(sys.env("UNDERCROFT_FUZZ_OUT")).nn.resolve(target.name).nn
    val corpus = out.resolve("corpus").nn
    Files.createDirectories(corpus)
    val main = target.getClass.getName.nn.stripSuffix("$")
    val command = Seq(
      s"${sys.props("java.home")}/bin/java",
      "-Xmx1g",
      "-XX:+UseSerialGC",
      "-XX:-CreateCoredumpOnCrash",
      s"-XX:ErrorFile=$out/hs_err_pid%p.log",
      "--enable-native-access=ALL-UNNAMED",
      "--sun-misc-unsafe-memory-access=allow",
      "-cp",
      sys.props("java.class.path").nn,
      "com.code_intelligence.jazzer.Jazzer",
      s"--target_class=$main",
      "--instrumentation_includes=undercroft.**",
      "--custom_hook_excludes=**",
      s"--reproducer_path=$out",
      s"-artifact_prefix=$out/",
      s"-max_total_time=${minutes * 60}",
      "-timeout=30",
      "-rss_limit_mb=4096",
      "-print_final_stats=1",
      corpus.toString,
      Target.seedFolder.resolve(target.name).toString
    )
    println(s"== ${target.name}, $minutes minutes")
    val code = ProcessBuilder(command*).inheritIO().start().nn.waitFor()
    println(s"== ${target.name} ended with $code")
    code == 0
  end fuzz
end Main

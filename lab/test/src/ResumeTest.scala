package undercroft.lab

import java.io.{BufferedReader, InputStreamReader}
import java.util.concurrent.TimeUnit

/** A run that is killed, or that cannot run, loses no result. */
class ResumeTest extends undercroft.tools.Suite:

  private val first = "NewBytes.newArray bytes=1000$"
  private val second = "Downcall.criticalDowncall"

  /** A run of one step of each of two experiments, in its own JVM. */
  private def start(folder: os.Path, more: String*): Process =
    started(folder, "-Djmh.ignoreLock=true", more*)

  private def started(folder: os.Path, flag: String, more: String*): Process =
    val flags = Seq("-Xmx256m", flag, "--enable-native-access=ALL-UNNAMED") ++
      Seq("--sun-misc-unsafe-memory-access=allow", "-cp", System.getProperty("java.class.path").nn)
    val run = Seq("undercroft.lab.Main", "arrays", "memory", "--quick", "--only", s"$first|$second")
    undercroft.tools.ChildJvm.builder((flags ++ run ++ Seq("--json", folder.toString) ++ more)*)
      .redirectErrorStream(true)
      .nn
      .start()
      .nn

  private def lines(process: Process): Iterator[String] =
    val reader = BufferedReader(InputStreamReader(process.getInputStream))
    Iterator.continually(reader.readLine()).takeWhile(_ != null).map(_.nn)

  private def ended(process: Process): Seq[String] =
    val output = lines(process).toVector
    assert(process.waitFor(2, TimeUnit.MINUTES), output.mkString("\n"))
    output

  test("a resumed run keeps finished experiments and reruns the interrupted one".tag(LongTest)):
    val folder = os.temp.dir(prefix = "lab-resume-")
    val killed = start(folder)
    val output = lines(killed)
    val firstLine = output.find(_.startsWith("memory: step 1"))
    val forks = killed.descendants.nn.toList.nn
    killed.destroyForcibly()
    assert(firstLine.isDefined, "it ended before its second experiment")
    assert(killed.waitFor(1, TimeUnit.MINUTES))
    // A fork detects that its parent has ended, and ends, too.
    forks.forEach(fork => fork.onExit.nn.get(1, TimeUnit.MINUTES): Unit)

    def kept = os.list(folder).map(_.last).filterNot(_.startsWith(".")).toSet
    assertEquals(kept, Set("arrays.json", "arrays.run.json", "memory.steps.jsonl"))
    val before = os.read(folder / "arrays.json")

    val resumed = ended(start(folder, "--resume"))
    assert(resumed.contains("arrays: finished before, left out"), resumed.mkString("\n"))
    assert(resumed.exists(_.startsWith("memory: step 1 of 1")), resumed.mkString("\n"))
    assertEquals(os.read(folder / "arrays.json"), before)
    assert(kept.contains("memory.run.json") && kept.contains("asked.json"), kept)

    val again = ended(start(folder, "--resume"))
    assert(again.contains("memory: finished before, left out"), again.mkString("\n"))

    val otherwise = ended(start(folder, "--resume", "--against", "Unsafe"))
    assert(!otherwise.exists(_.contains("finished before")), otherwise.mkString("\n"))
    assert(otherwise.contains("memory: none of its steps was chosen, left out"), otherwise.mkString)

    val lab = ResultStore(Command.home / "goals.json", folder)
    assertEquals(lab.results("memory").byKey.keySet, Set(Key("Downcall.criticalDowncall")))
    assert(!lab.envelope("memory").exists(_.chosen == RunMetadata.everything))

  test("a run beside another JMH names its process, and changes nothing"):
    val temporary = os.temp.dir(prefix = "lab-lock-")
    val folder = temporary / "results"
    os.write(folder / "arrays.json", "[]", createFolders = true)
    val file = java.io.RandomAccessFile((temporary / "jmh.lock").toIO, "rw")
    try
      file.getChannel.nn.lock(): Unit
      val run = started(folder, s"-Djava.io.tmpdir=$temporary")
      val output = ended(run).mkString("\n")
      assertEquals(run.exitValue, 1, output)
      val holder = s"process ${ProcessHandle.current.nn.pid} has ${temporary / "jmh.lock"}"
      assert(output.contains(s"another run of JMH is at work on this machine: $holder; "), output)
      assertEquals(os.list(folder).map(_.last), Seq("arrays.json"))
      assertEquals(os.read(folder / "arrays.json"), "[]")
    finally file.close()

  test("a log of steps is read by a run like it, without a cut line"):
    val file = os.temp.dir(prefix = "lab-steps-") / "arrays.steps.jsonl"
    val run = StepLog.Run("2026-01-01T00:00:00Z", "abc", "full", "all", "25")
    val later = run.copy(started = "2026-01-02T00:00:00Z")
    val key = Key("A.b", "n" -> "1")
    val entry = ujson.Obj("benchmark" -> "A.b")
    val log = StepLog.open(file, run, resumes = false)
    log.add(1, key, 2.5, Seq(entry))
    log.add(2, key, 1.5, Seq(entry))
    os.write.append(file, "{\"round\": 3, \"key\"")
    val resumed = StepLog.open(file, later, resumes = true)
    assertEquals((resumed.size, resumed.secondsBefore), (2, 4.0))
    assertEquals(resumed.run, run)
    assertEquals(resumed.get(2, key), Some(Seq[ujson.Value](entry)))
    assertEquals(resumed.get(3, key), None)
    assertEquals(os.read.lines(file).size, 3)
    // Another commit's steps are no part of this run.
    val other = StepLog.open(file, later.copy(commit = "def"), resumes = true)
    assertEquals((other.size, os.read.lines(file).size), (0, 1))
    other.add(1, key, 1, Seq(entry))
    assertEquals(StepLog.open(file, later, resumes = false).size, 0)

  test("resuming a quick run without a folder exits with 2"):
    val command = Command(
      Seq("all"),
      Effort.Quick,
      None,
      None,
      Seq(),
      None,
      asked = false,
      resume = true,
      list = false,
      compute = false
    )
    assertEquals(command.run(), 2)

  test("--add to missing or differing results is rejected"):
    val folder = os.temp.dir(prefix = "lab-add-")
    def command(resume: Boolean, json: Option[String]) = Command(
      Seq("arrays"),
      Effort.Quick,
      json,
      None,
      Seq(),
      Some(first),
      asked = false,
      resume,
      list = false,
      compute = false,
      add = true
    )
    for (resume, json) <- Seq(false -> None, true -> Some(folder), false -> Some(folder)) do
      assertEquals(command(resume, json.map(_.toString)).run(), 2)
    assert(os.list(folder).isEmpty)
end ResumeTest

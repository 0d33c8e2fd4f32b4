import undercroft.actor.*

enum Task:
  case Page(text: String)
  case Index(folder: String)
  case Stop

  /** Level 0 is handled first. */
  def level: Int = this match
    case Stop     => 0
    case Page(_)  => 1
    case Index(_) => 2

/** Handles pages before folders, and a request to stop before both. */
def librarian: Behavior[Task] = Behavior.receive:
  case Task.Page(text)    => println(s"page $text"); Behavior.same
  case Task.Index(folder) => println(s"index of $folder"); Behavior.same
  case Task.Stop          => println("closed"); Behavior.stopped

/** Sends many tasks in one turn, so that they wait in the librarian's mailbox. */
def reader(library: ActorRef[Task]): Behavior[List[Task]] = Behavior.receive: tasks =>
  for task <- tasks do library ! task
  Behavior.same

@main def priorityMailbox(): Unit =
  ActorSystem.scoped("library", workers = 1):
    val library = spawn(librarian, mailbox = Mailbox.prioritized(levels = 3)(_.level))
    spawn(reader(library)) ! List(
      Task.Index("maps"),
      Task.Page("1"),
      Task.Index("letters"),
      Task.Page("2")
    )

  // the same tasks, but only two may wait: the oldest of the least urgent level is dropped
  ActorSystem.scoped("small library", workers = 1, listener = report):
    val mailbox = Mailbox.prioritized[Task](levels = 3, limit = 2, Overflow.DropOldest)(_.level)
    val library = spawn(librarian, mailbox = mailbox)
    spawn(reader(library)) ! List(Task.Index("maps"), Task.Page("1"), Task.Page("2"), Task.Stop)
end priorityMailbox

private def report(event: ActorEvent): Unit = event match
  case ActorEvent.DeadLetter(_, message, reason) => println(s"$reason: $message")
  case _                                         => ()

// prints:
// page 1
// page 2
// index of maps
// index of letters
// Full: Index(maps)
// Full: Page(1)
// closed
// Stopped: Page(2)

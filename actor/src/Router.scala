package undercroft.actor

/** Behaviors that forward each message to one of several actors, or to all. A message passes
  * through the router's own mailbox, so it costs two messages. If the chosen actor's mailbox is
  * full, the message becomes a dead letter there; with [[Overflow.Backpressure]] the router waits
  * for room instead.
  *
  * {{{
  * import undercroft.actor.*
  * val printer: Behavior[String] = Behavior.receive: page =>
  *   println(page)
  *   Behavior.same
  * ActorSystem.scoped("office"):
  *   val printers = spawn(Router.pool(size = 4)(printer))
  *   for page <- List("one", "two") do printers ! page
  * }}}
  */
object Router:

  /** A router over `size` actors, which are its children. A child that stops is not replaced: use
    * supervision for that. The router stops with its last child.
    *
    * {{{
    * import undercroft.actor.*
    * val worker: Behavior[String] = Behavior.ignore
    * ActorSystem.scoped("office"):
    *   val byCustomer = Routing.ByKey[String](order => order.take(1))
    *   val workers = spawn(Router.pool(size = 4, byCustomer)(worker))
    *   workers ! "a: 250" // all orders of customer a go to one worker
    * }}}
    *
    * @param run
    *   the run model of the children
    * @param mailbox
    *   the mailbox of each child
    */
  def pool[T](
      size: Int,
      routing: Routing[T] = Routing.RoundRobin,
      run: Run = Run.Workers,
      mailbox: Mailbox = Mailbox.default
  )(behavior: Behavior[T]): Behavior[T] =
    if size < 1 then throw IllegalArgumentException(s"size must be at least 1, but is $size")
    Behavior.setup[T]:
      val members = Vector.tabulate(size): i =>
        val member = spawn(behavior, run = run, mailbox = mailbox)
        context[T].watch(member)
        Member(i, member)
      among(members, routing.chooser)

  /** Forwards to `members`, and removes members that stop. */
  private def among[T](members: Vector[Member[T]], chooser: Routing.Chooser[T]): Behavior[T] =
    Behavior
      .receiveObjects[T] { message =>
        chooser.choose(message, members) match
          case -1 => for member <- members do send(member, message)
          case i  => send(members(i), message)
        Behavior.same
      }
      .onSignal { case Signal.Terminated(actor, _) =>
        val left = members.filter(_.ref != actor)
        if left.isEmpty then Behavior.stopped else among(left, chooser)
      }

  /** A router over the actors that are currently registered under a key. If there are none, a
    * message is unhandled.
    *
    * {{{
    * import undercroft.actor.*
    * val printers = ServiceKey[String]("printers")
    * ActorSystem.scoped("office"):
    *   val registry = Registry()
    *   registry.register(printers, spawn(Behavior.ignore[String]))
    *   spawn(Router.group(registry, printers)) ! "a page"
    * }}}
    */
  def group[T](
      registry: Registry,
      key: ServiceKey[T],
      routing: Routing[T] = Routing.RoundRobin
  ): Behavior[T] = Behavior.setup[T]:
    val chooser = routing.chooser
    Behavior.receiveObjects[T]: message =>
      val members = registry.members(key)
      if members.isEmpty then Behavior.unhandled
      else
        chooser.choose(message, members) match
          case -1 => for member <- members do send(member, message)
          case i  => send(members(i), message)
        Behavior.same

  private def send[T](member: Member[T], message: T): Unit =
    try member.ref.tell(message)
    catch case _: MailboxFullException => () // counted and reported as a dead letter of the member
end Router

/** A target of a router, with a number that never changes. */
private[actor] final case class Member[-T](number: Int, ref: ActorRef[T])

package undercroft.actorparts

import undercroft.actor.*

/** Behaviours that send each of their messages on to one of several actors, or to all. A message
  * goes through the router's own mailbox, so it costs two messages. One that finds the mailbox of
  * who is chosen full is a dead letter there.
  */
object Router:

  /** A router over actors of its own: `size` of them, which are its children. One that stops is not
    * replaced, which is what supervision is for; with the last one the router stops.
    *
    * @param run
    *   what each of them runs on
    */
  def pool[T](
      size: Int,
      routing: Routing[T] = Routing.RoundRobin,
      run: Run = Run.Workers,
      mailbox: Mailbox = Mailbox.default
  )(behavior: Behavior[T]): Behavior[T] =
    if size < 1 then throw IllegalArgumentException(s"a pool of $size actors")
    Behavior.setup[T]:
      val members = Vector.tabulate(size): i =>
        val one = spawn(behavior, run = run, mailbox = mailbox)
        context[T].watch(one)
        Member(i, one)
      among(members, routing.chooser)

  /** Sends on to `members`, and leaves out those that have stopped. */
  private def among[T](members: Vector[Member[T]], chooser: Routing.Chooser[T]): Behavior[T] =
    Behavior
      .receive[T] { message =>
        chooser.choose(message, members) match
          case -1 => for member <- members do send(member, message)
          case i  => send(members(i), message)
        Behavior.same
      }
      .onSignal { case Signal.Terminated(gone, _) =>
        val left = members.filter(_.ref != gone)
        if left.isEmpty then Behavior.stopped else among(left, chooser)
      }

  /** A router over whoever is registered under a key at the moment. A message that finds nobody is
    * unhandled.
    */
  def group[T](
      registry: Registry,
      key: Key[T],
      routing: Routing[T] = Routing.RoundRobin
  ): Behavior[T] = Behavior.setup[T]:
    val chooser = routing.chooser
    Behavior.receive[T]: message =>
      val members = registry.members(key)
      if members.isEmpty then Behavior.unhandled
      else
        chooser.choose(message, members) match
          case -1 => for member <- members do send(member, message)
          case i  => send(members(i), message)
        Behavior.same

  private def send[T](member: Member[T], message: T): Unit =
    try member.ref.tell(message)
    catch case _: MailboxFullException => () // counted, and told of, as a dead letter of the member
end Router

/** An actor among others, with a number that stays its own. */
private[actorparts] final case class Member[-T](number: Int, ref: ActorRef[T])

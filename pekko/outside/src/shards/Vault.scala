package outside.pekko.shards

import java.nio.file.Path
import org.apache.pekko.actor.typed
import org.apache.pekko.cluster.sharding.typed.scaladsl.{ClusterSharding, Entity, EntityTypeKey}
import undercroft.actor.*
import undercroft.actor.persistence.*
import undercroft.file.format.Durability
import undercroft.pekko.*
import undercroft.struct.*

/** A bank as a user would write it: accounts and tellers are entities whose events are stored, so
  * any node may end at any time.
  *
  * A teller makes one transfer at a time: it withdraws, then deposits, and repeats a message until
  * there is a reply. Each message has the number of its transfer, so that an account moves money
  * once for it, and repeats its reply.
  */
object Vault:
  final val Tellers = 64

  /** A teller's last transfer at an account, and its amount: 0 if it was refused. */
  final case class Seen(number: Long, amount: Long) derives Struct
  final case class Balance(balance: Long, seen: InlineArray[Seen, 64]) derives Struct

  /** `amount` is negative for a withdrawal. */
  final case class Moved(teller: Int, number: Long, amount: Long) derives Struct, CanEqual

  enum Account derives MessageCodec:
    case Move(teller: Int, number: Long, amount: Long, to: ActorRef[Teller])
    case Read(to: Reply[Long])

  final case class Finished(number: Long) derives Struct

  enum Teller derives MessageCodec:
    /** Continue until transfer `last`: sent again and again. */
    case Work(last: Long)
    case Reply(number: Long, amount: Long, outcome: Outcome)
    case Read(to: undercroft.actor.Reply[Long])

  enum Outcome derives MessageCodec, CanEqual:
    case Done, Refused, Past

  final case class Transfer(from: Int, to: Int, amount: Long) derives CanEqual

  /** Transfer `number` of a teller, which depends on nothing else. */
  def transfer(teller: Int, number: Long, accounts: Int): Transfer =
    val random = java.util.SplittableRandom(teller * 1_000_000_007L + number)
    val from = random.nextInt(accounts)
    Transfer(from, (from + 1 + random.nextInt(accounts - 1)) % accounts, 1 + random.nextInt(300))

  def account(journal: Journal[Moved, Balance], id: Long, opening: Long): Behavior[Account] =
    Persistent(journal, id, Balance(opening, InlineArray.fill(Seen(0, 0))))(
      command = (state, command) =>
        command match
          case Account.Move(teller, number, amount, to) =>
            val seen = state.seen(teller)
            if number > seen.number then
              val moved = if state.balance + amount < 0 then 0 else amount
              val outcome = if moved == 0 then Outcome.Refused else Outcome.Done
              Effect
                .persist(Moved(teller, number, moved))
                .thenReply(to)(_ => Teller.Reply(number, amount, outcome))
            else
              val outcome =
                if number < seen.number then Outcome.Past
                else if seen.amount == 0 then Outcome.Refused
                else Outcome.Done
              Effect.none.thenReply(to)(_ => Teller.Reply(number, amount, outcome))
          case Account.Read(to) => Effect.none.thenReply(to)(_.balance),
      event = (state, moved) =>
        Balance(
          state.balance + moved.amount,
          state.seen.updated(moved.teller, Seen(moved.number, moved.amount))
        )
    )

  def teller(journal: Journal[Finished, Finished], id: Int, accounts: Vector[ActorRef[Account]]) =
    Behavior.setup[Teller]:
      val self = undercroft.actor.context.self
      var last = 0L
      def begin(finished: Finished): Unit =
        val number = finished.number + 1
        if number <= last then
          val next = transfer(id, number, accounts.size)
          accounts(next.from) ! Account.Move(id, number, -next.amount, self)
      Persistent(journal, id, Finished(0))(
        command = (finished, command) =>
          command match
            case Teller.Work(upTo) =>
              last = upTo
              Effect.none.thenRun(begin)
            case Teller.Reply(number, amount, outcome) if number == finished.number + 1 =>
              if amount < 0 && outcome == Outcome.Done then
                val next = transfer(id, number, accounts.size)
                Effect.none.thenRun(_ =>
                  accounts(next.to) ! Account.Move(id, number, next.amount, self)
                )
              else Effect.persist(Finished(number)).thenRun(begin)
            case Teller.Reply(_, _, _) => Effect.none // a repeated one
            case Teller.Read(to)       => Effect.none.thenReply(to)(_.number),
        event = (_, finished) => finished
      )

  val accountKey: EntityTypeKey[Account] = EntityTypeKey[Account]("Account")
  val tellerKey: EntityTypeKey[Teller] = EntityTypeKey[Teller]("Teller")

  /** The role of the nodes that have the entities. */
  final val Role = "vault"

  /** Called on each node. */
  def open(folder: Path, accounts: Int, opening: Long)(using system: typed.ActorSystem[?]): Unit =
    def journals[E, S](name: String)(using Struct[E], Struct[S]) = ShardJournals.open[E, S](
      folder.resolve(name),
      durability = Durability.VOLATILE // a kill of a process is not a loss of power
    )
    val (ofAccounts, ofTellers) =
      (journals[Moved, Balance]("accounts"), journals[Finished, Finished]("tellers"))
    ClusterSharding(system).init(
      Entity(accountKey)(entity =>
        ofAccounts.entity(account(_, entity.entityId.toLong, opening))
      ).withRole(Role)
    )
    val refs = accountRefs(accounts)
    ClusterSharding(system).init(
      Entity(tellerKey)(entity =>
        ofTellers.entity(teller(_, entity.entityId.toInt, refs))
      ).withRole(Role)
    ): Unit

  def accountRefs(count: Int)(using system: typed.ActorSystem[?]): Vector[ActorRef[Account]] =
    Vector.tabulate(count)(n =>
      ClusterSharding(system).entityRefFor(accountKey, s"$n").toUndercroft
    )

  def tellerRefs(using system: typed.ActorSystem[?]): Vector[ActorRef[Teller]] =
    Vector.tabulate(Tellers)(n =>
      ClusterSharding(system).entityRefFor(tellerKey, s"$n").toUndercroft
    )
end Vault

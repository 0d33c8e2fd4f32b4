package undercroft.actor

import internal.cell.{ActorFields, DeadLetters, DeathWatch, FaultHandling, GroupRestart}
import internal.cell.{HandlerRequests, InboundNode, InternalMessage, Lifecycle, ProcessDelivery}
import internal.cell.{SignalContext, StopInOrder, SystemMessage}
import internal.dispatch.{AskNesting, CallingThreadDispatcher, ClockThread, Dispatcher, Engine}
import internal.dispatch.{
  ExecutorDispatcher,
  HandlerTiming,
  HelperThreads,
  MachineEngine,
  StackRoom,
  StrandedTurns
}
import internal.dispatch.{TimeSlice, Worker}
import internal.mailbox.{Backpressure, EvictingQueue, MessageLevels, MessageQueue, MessageSlot}
import internal.mailbox.Waiters
import internal.observe.{CellDiagnostics, TurnTiming}

/** Initializes the classes that an actor needs until it has stopped. While memory is exhausted no
  * class can be loaded, and at the end of a stack none can be linked or initialized: a class whose
  * initialization failed stays unusable, and a thread that links a class keeps all others that need
  * it waiting.
  */
private[actor] object RuntimeClasses:
  def load(): Unit =
    val _ = Array[AnyRef](
      ActorEvent,
      ActorEvent.DeadLetter,
      ActorEvent.Failed,
      ActorFields,
      AskNesting,
      Audit,
      AuditTotals,
      Backpressure,
      Behavior.same,
      Behavior.skipped,
      Behavior.stopped,
      Behavior.unhandled,
      CallingThreadDispatcher,
      CellDiagnostics,
      ClockThread,
      DeadLetters,
      DeathWatch,
      Dispatcher,
      Engine,
      EvictingQueue.Closed,
      ExecutorDispatcher,
      FaultHandling,
      GroupRestart,
      HandlerRequests,
      HandlerTiming,
      HelperThreads,
      InboundNode.Closed,
      Inbox.Leave,
      InternalMessage,
      InternalMessage.Urgent,
      Lifecycle,
      MachineEngine,
      MessageLevels,
      MessageQueue,
      MessageSlot.Mark,
      ProcessDelivery,
      Reply,
      Run.On,
      Signal,
      SignalContext,
      StackRoom,
      StopInOrder,
      StrandedTurns,
      Supervision,
      SystemMessage,
      SystemMessage.Closed,
      TimeSlice,
      TurnTiming,
      Waiters,
      Waiters.Waiter(Thread.currentThread),
      Worker
    )
    // The objects of the functions that a program may call first at the end of a stack.
    for name <- Seq("ActorContext", "ask") do
      val _ = Class.forName(s"undercroft.actor.$name$$package$$")
  end load
end RuntimeClasses

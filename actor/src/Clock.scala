package undercroft.actor

import java.util.concurrent.{ScheduledThreadPoolExecutor, TimeUnit}

/** What time it is, and what is to be done when. A simulation has one of its own. */
private[actor] trait Clock:
  /** Nanoseconds since some moment. */
  def nanos: Long

  /** Does something after a delay, in nanoseconds. It must not block. */
  def schedule(delayNanos: Long, task: Runnable): Clock.Scheduled

  /** Does nothing any more. */
  def stop(): Unit

private[actor] object Clock:
  /** Something that is to be done. */
  trait Scheduled:
    def cancel(): Unit

  /** The machine's own, with one thread, made when it is first wanted. */
  final class Real(name: String) extends Clock:
    private val executor = ScheduledThreadPoolExecutor(
      1,
      task => Thread.ofPlatform.name(s"$name-clock").daemon.unstarted(task)
    )
    executor.setRemoveOnCancelPolicy(true)
    executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false)
    executor.setRejectedExecutionHandler((_, _) => ())

    def nanos: Long = System.nanoTime

    def schedule(delayNanos: Long, task: Runnable): Scheduled =
      val future = executor.schedule(task, delayNanos, TimeUnit.NANOSECONDS)
      () =>
        val _ = future.cancel(false)

    def stop(): Unit = executor.shutdown()
  end Real
end Clock

package outside.struct

import java.util.concurrent.atomic.AtomicReference

/** Runs `body` on another thread and throws its error. */
def elsewhere[A](body: => A): A =
  val result = AtomicReference[Either[Throwable, A] | Null](null)
  val thread = Thread(() =>
    result.set(
      try Right(body)
      catch case error: Throwable => Left(error)
    )
  )
  thread.start()
  thread.join()
  result.get.nn.fold(throw _, identity)

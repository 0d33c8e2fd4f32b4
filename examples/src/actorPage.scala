import java.net.http.{HttpClient, HttpRequest, HttpResponse}
import scala.concurrent.duration.*
import undercroft.actor.*

@main def actorPage(): Unit =
  ActorSystem.scoped("shop"):
    val system = summon[ActorSystem]
    val page = ActorPage.serve(system) // on a free port of the loopback address
    val till = spawn(Behavior.ignore[Int], "till")
    for price <- 1 to 250 do till ! price
    system.awaitQuiescence(1.minute)

    // A browser opens page.uri; the page itself reads this:
    val request = HttpRequest.newBuilder(page.uri.resolve("state.json")).build()
    val state = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body
    println(page.uri.getHost)
    println(state.take(38))
    println(state.contains("\"handled\": 250"))
    page.close()

// prints:
// 127.0.0.1
// {"system": "shop", "isStopped": false,
// true

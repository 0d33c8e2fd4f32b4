// In the empty package, as the program `orderBook` is.

import undercroft.memory.*

class OrderBookTest extends undercroft.tools.Suite:

  test("an order book refuses a price outside of it and an id in use, and does not change"):
    Region.scoped:
      val book = Book(prices = 1000)
      book.add(id = 1, price = 100, amount = 30)
      val price = intercept[IllegalArgumentException](book.buy(price = 1000, amount = 50))
      assert(price.getMessage.contains("price must be in [0, 1000), but is 1000"), price.getMessage)
      val id = intercept[IllegalArgumentException](book.add(id = 1, price = 101, amount = 5))
      assert(id.getMessage.contains("id must be new, but an offer has it: 1"), id.getMessage)
      assertEquals((book.size, book.amount(100), book.amount(101)), (1L, 30L, 0L))
      assert(book.cancel(id = 1))
      assertEquals(book.amount(100), 0L)

package orderBook;

/** An order book: orders by number, in levels by price, the oldest order of a level first. */
interface Book {
  /** Trades with the orders of the other side up to a price; the rest becomes an order. */
  void limit(long id, boolean isBuy, int price, int quantity);

  /** Removes an order, and enters a new one of the same side; without effect if it is absent. */
  void replace(long id, long newId, int price, int quantity);

  /** Removes an order; without effect if it is absent. */
  void cancel(long id);

  /** Trades with the orders of the other side at any price; the rest is dropped. */
  void market(boolean isBuy, int quantity);

  /**
   * Passes each order with its remaining quantity: buyers, then sellers, by price, the oldest order
   * of a price first.
   */
  void foreach(Orders orders);

  /** Receives the orders of trades, or the orders of a book. */
  interface Orders {
    void add(long id, int price, int quantity);
  }
}

package outside.privatefields

import undercroft.memory.*
import undercroft.struct.*

/** Code outside a class stores and loads its private fields, and does not select them. */
class PrivateFieldTest extends undercroft.tools.Suite:

  test("a value with a private field is stored and loaded by code in another file"):
    Region.scoped:
      val account = Account(1, 77)
      val rows = Rows[Account](2)
      rows(0) = account
      rows(1) = Account(2, 88)
      assertEquals(rows.toVector, Vector(account, Account(2, 88)))
      rows.transform(_.copy(id = 3))
      assertEquals(Account.pins(rows), Vector(77, 88))
      Account.change(rows.ref(0), 99)
      assertEquals(Account.pinOf(rows.ref(0)), 99)
      val safe = Safe(Some(account), 1)
      assertEquals(Ref(safe)(), safe)
      val secrets = Columns[Secret[Long]](1)
      val secret = Secret(5L, 6)
      secrets(0) = secret
      assertEquals(secrets(0), secret)

  test("a private field cannot be selected outside its class"):
    val message = "field `pin` of Account is private"
    for
      errors <- List(
        compileErrors("def f(r: Ref[Account]) = r.pin"),
        compileErrors("def f(r: Ref[Account]): Unit = r.pin = 1"),
        compileErrors("def f(row: TableRow[Account, Aligned]) = row.pin")
      )
    do assert(errors.contains(message), errors)

  test("protected fields, and those private to an object, are selected where the class permits"):
    Region.scoped:
      val vault = Ref(Bank.Vault(1, 2, 3))
      Bank.change(vault, 7)
      assertEquals((Bank.codeOf(vault), Bank.Vault.ownerOf(vault)), (7, 3))
      assertEquals(Bank.Lent(4).ownerOf(vault), 3)
    for
      (errors, message) <- List(
        compileErrors("def f(r: Ref[Bank.Vault]) = r.code") -> "`code` of Vault is private",
        compileErrors("def f(r: Ref[Bank.Vault]): Unit = r.code = 1") ->
          "`code` of Vault is private",
        compileErrors("def f(row: TableRow[Bank.Vault, Aligned]) = row.owner") ->
          "`owner` of Vault is protected",
        compileErrors("def f(r: Ref[Bank.Vault]) = r.owner") -> "`owner` of Vault is protected"
      )
    do assert(errors.contains(message), errors)
end PrivateFieldTest

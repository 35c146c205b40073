import { assert, describe, it } from "@effect/vitest"
import { findPassword } from "../../../src/plugins/cluster/DatabaseSettings.ts"

const place = { host: "db.example", port: "5432", database: "conductor", user: "me" }

describe("a file of passwords", () => {
  for (const [what, text, found] of [
    ["a line that names everything", "db.example:5432:conductor:me:open", "open"],
    ["a line with stars", "*:*:*:me:open", "open"],
    ["the first of two lines that fit", "*:*:*:*:first\ndb.example:5432:conductor:me:second", "first"],
    [
      "a line behind comments and empty ones",
      "# db.example:5432:conductor:me:no\n\r\ndb.example:*:*:*:open\r\n",
      "open"
    ],
    ["a password with a colon and a backslash", String.raw`*:*:*:*:a\:b\\c`, String.raw`a:b\c`],
    ["no line for another host", "db2.example:5432:conductor:me:no", undefined],
    ["no line for another port", "db.example:5433:conductor:me:no", undefined],
    ["no line for another database", "db.example:5432:other:me:no", undefined],
    ["no line for another user", "db.example:5432:conductor:you:no", undefined],
    ["no password in a short line", "db.example:5432:conductor", undefined],
    ["nothing in an empty file", "", undefined]
  ] as const) {
    it(`gives ${what}`, () => {
      assert.strictEqual(findPassword(text, place), found)
    })
  }

  it("names a folder of sockets by itself or as localhost", () => {
    const local = { ...place, host: "/run/postgresql" }
    assert.strictEqual(findPassword("localhost:*:*:*:open", local), "open")
    assert.strictEqual(findPassword("/run/postgresql:*:*:*:open", local), "open")
  })
})

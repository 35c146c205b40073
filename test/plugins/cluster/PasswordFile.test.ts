import { assert, describe, it } from "@effect/vitest"
import { findPassword } from "../../../src/plugins/cluster/DatabaseSettings.ts"

const place = { host: "db.example", port: "5432", database: "conductor", user: "me" }

describe("a file of passwords", () => {
  it("gives the password of the first line that fits the place", () => {
    const rows: ReadonlyArray<[text: string, found: string | undefined]> = [
      ["db.example:5432:conductor:me:open", "open"],
      ["*:*:*:me:open", "open"],
      ["*:*:*:*:first\ndb.example:5432:conductor:me:second", "first"],
      ["# db.example:5432:conductor:me:no\n\r\ndb.example:*:*:*:open\r\n", "open"],
      [String.raw`*:*:*:*:a\:b\\c`, String.raw`a:b\c`],
      ["db2.example:5432:conductor:me:no", undefined],
      ["db.example:5433:conductor:me:no", undefined],
      ["db.example:5432:other:me:no", undefined],
      ["db.example:5432:conductor:you:no", undefined],
      ["db.example:5432:conductor", undefined],
      ["", undefined]
    ]
    for (const [text, found] of rows) assert.strictEqual(findPassword(text, place), found, text)
  })

  it("names a folder of sockets by itself or as localhost", () => {
    for (const host of ["localhost", "/run/postgresql"]) {
      assert.strictEqual(findPassword(`${host}:*:*:*:open`, { ...place, host: "/run/postgresql" }), "open")
    }
  })
})

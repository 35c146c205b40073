import { afterEach, assert, describe, it } from "@effect/vitest"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { keepPublicTypes } from "../../scripts/build.ts"

const root = mkdtempSync(join(tmpdir(), "task-conductor-types-"))
const declare = (files: Readonly<Record<string, string>>): void => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
}
afterEach(() => rmSync(root, { recursive: true, force: true }))

describe("the published declarations", () => {
  it("are those that the entry points reach", () => {
    declare({
      "index.d.ts": 'export { A } from "./one/a.ts";\nexport declare const b: import("./b.ts").B;\n',
      "one/a.d.ts": 'import type * as Effect from "effect/Effect";\nexport type A = Effect.Effect<void>;\n',
      "b.d.ts": "export type B = 1;\n",
      "two/c.d.ts": 'import type { Root } from "mdast";\nexport type C = Root;\n'
    })
    keepPublicTypes(root, ["index"])
    assert.deepStrictEqual(readdirSync(root, { recursive: true }).toSorted(), [
      "b.d.ts",
      "index.d.ts",
      "one",
      join("one", "a.d.ts")
    ])
  })

  it("import nothing that is not installed for users", () => {
    declare({ "index.d.ts": 'import type { Root } from "mdast";\nexport * from "./gone.ts";\nexport type R = Root;\n' })
    assert.throws(() => keepPublicTypes(root, ["index"]), /index\.d\.ts: mdast\n.*index\.d\.ts: \.\/gone\.ts$/)
  })
})

/** A package manager behind the proxy; NetworkProxy.test.ts has the rules that it meets. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import { liveTest } from "../../support/liveTest.ts"
import { needs } from "../../support/needs.ts"
import { openNetwork as open } from "../../support/openNetwork.ts"
import { makeProject } from "../../support/Project.ts"
import { startRegistry } from "../../support/Registry.ts"
import { tarballOf } from "../../support/Tarball.ts"

describe("a list of hosts for commands", needs("bwrap"), () => {
  liveTest("lets npm install from a listed registry, and from no other", () =>
    Effect.gen(function* () {
      const packages = yield* makeProject({
        "node_modules/.package-lock.json": '{ "packages": {} }',
        "left/package.json": '{ "name": "left", "version": "1.0.0" }',
        "left/index.js": "module.exports = 'installed'",
        "right/package.json": '{ "name": "right", "version": "1.0.0" }'
      })
      const registry = yield* Effect.acquireRelease(
        Effect.promise(() => startRegistry(packages, `${packages}/left`, `${packages}/right`)),
        ({ close }) => Effect.sync(close)
      )
      const host = registry.url.replace("http://127.0.0.1", "localhost")
      const lockOf = (name: string, from: string) => {
        const bytes = tarballOf(`${packages}/${name}`)
        const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`
        const installed = { version: "1.0.0", resolved: `http://${from}/${name}/-/1.0.0`, integrity }
        const project = { name: "p", version: "1.0.0", dependencies: { [name]: "1.0.0" } }
        return {
          "package.json": JSON.stringify(project),
          "package-lock.json": JSON.stringify({
            name: "p",
            version: "1.0.0",
            lockfileVersion: 3,
            packages: { "": project, [`node_modules/${name}`]: installed }
          }),
          ".npmrc": `registry=http://${host}/\nreplace-registry-host=never\nfetch-retries=0\n`
        }
      }
      const install = ["npm", "ci", "--no-audit", "--no-fund"]
      const good = yield* open([host], { files: lockOf("left", host) })
      const { exit_code, output } = yield* good.command(install)
      assert.strictEqual(exit_code, 0, output)
      assert.deepStrictEqual(registry.served, ["left@1.0.0"])
      assert.deepInclude(yield* good.program("console.log(require('left'))"), { exit_code: 0, output: "installed\n" })

      const other = "other.example:4873"
      const bad = yield* open([host], { files: lockOf("right", other) })
      const refused = yield* bad.command(install)
      assert.notStrictEqual(refused.exit_code, 0)
      assert.include(refused.output, `403`)
      assert.include(refused.sandbox, `it refused ${other}.`)
      assert.include(refused.sandbox, `"network": ["${host}","${other}"]`)
      assert.deepStrictEqual(registry.served, ["left@1.0.0"])
    })
  )
})

/** Where secrets of plugins are read, and what is said of one that is not there. */
import { assert, describe } from "@effect/vitest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { SecretSource } from "../../../src/domain/configuration/SecretSource.ts"
import { makeSecretReader } from "../../../src/services/plugins/Secrets.ts"
import { makeFolder } from "../../support/Project.ts"
import { liveTest } from "../../support/liveTest.ts"

interface Case {
  readonly source?: SecretSource
  readonly environment?: Readonly<Record<string, string>>
  readonly mode?: number
  readonly text?: string
}

/** The secret `API_KEY`, or why there is none, with the folder as `<own>`. */
const read = ({ environment = {}, mode = 0o600, source, text = "file-secret\n" }: Case) =>
  Effect.gen(function* () {
    const own = yield* makeFolder
    mkdirSync(join(own, "keys"))
    writeFileSync(join(own, "keys/api"), text)
    chmodSync(join(own, "keys/api"), mode)
    const reader = makeSecretReader({
      sources: source === undefined ? {} : { API_KEY: source },
      file: join(own, "config.json"),
      home: own
    })
    const value = yield* reader("API_KEY").pipe(
      Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(environment))
    )
    return Result.match(value, {
      onSuccess: (secret) => secret,
      onFailure: (why) => `missing: ${why.replaceAll(own, "<own>")}`
    })
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))

const howToGive =
  'missing: Set the environment variable API_KEY, or write under "secrets" in <own>/config.json where it is: { "API_KEY": { "file": "..." } }, or { "command": [...] }'

const prints = (code: string): SecretSource => ({ command: [process.execPath, "-e", code] })

const other: SecretSource = { environment: "OTHER" }
const file: SecretSource = { file: "keys/api" }
const short = "missing: it has fewer than 8 characters, which is no secret"
const cases: ReadonlyArray<readonly [name: string, given: Case, secret: string]> = [
  ["the environment variable of its name", { environment: { API_KEY: "env-secret" } }, "env-secret"],
  ["another environment variable", { source: other, environment: { OTHER: "env-secret" } }, "env-secret"],
  ["a file of one's own, relative to the configuration", { source: file }, "file-secret"],
  ["a file below the home folder", { source: { file: "~/keys/api" } }, "file-secret"],
  ["what a command prints", { source: prints("console.log('printed-secret')") }, "printed-secret"],
  ["the configuration before the environment", { source: file, environment: { API_KEY: "env-secret" } }, "file-secret"]
]

describe("a secret is", () => {
  liveTest.each(cases)("%s", function* ([, given, secret]) {
    assert.strictEqual(yield* read(given), secret)
  })
})

const missing: ReadonlyArray<readonly [name: string, given: Case, why: string | RegExp]> = [
  ["nothing names it", {}, howToGive],
  ["it is empty", { environment: { API_KEY: "  " } }, howToGive],
  ["it is a word", { environment: { API_KEY: "secret" } }, short],
  ["its variable is not set", { source: other }, "missing: the environment variable OTHER is not set"],
  [
    "its file is missing",
    { source: { file: "keys/none" } },
    "missing: the file <own>/keys/none cannot be read. Write the secret into it"
  ],
  [
    "others can read its file",
    { source: file, mode: 0o640 },
    "missing: others can read the file <own>/keys/api. Make it your own: chmod 600 <own>/keys/api"
  ],
  ["its file is a folder", { source: { file: "keys" } }, "missing: <own>/keys is no file with a secret alone"],
  ["its command fails", { source: prints("process.exit(1)") }, /^missing: the command .* failed\. Run it to see why$/],
  [
    "its command does not exist",
    { source: { command: ["/nowhere/keychain", "get"] } },
    "missing: the command /nowhere/keychain get failed. Run it to see why"
  ]
]

describe("a secret is missing when", () => {
  liveTest.each(missing)("%s", function* ([, given, why]) {
    const said = yield* read(given)
    if (typeof why === "string") assert.strictEqual(said, why)
    else assert.match(said, why)
  })

  liveTest("and says nothing of what a failing command wrote", function* () {
    const said = yield* read({ source: prints("console.error('printed-' + 'secret'); process.exit(1)") })
    assert.notInclude(said, "printed-secret")
  })
})

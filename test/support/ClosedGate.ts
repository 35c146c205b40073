/**
 * With a closed gate no client of the MCP server, and no run without a terminal, gets a file into a prompt that a person
 * would have been asked about: not by a reference of a plan, not as current or open file, not by the map or a description.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { symlinkSync } from "node:fs"
import { join } from "node:path"
import { Writable } from "node:stream"
import { mcpServedTools } from "../../src/plugins/mcp/ServedTools.ts"
import { Output } from "../../src/cli/terminal/Output.ts"
import { environmentOf, makeSandbox } from "./binary.ts"
import { FakeOllama } from "./FakeOllama.ts"
import { fakeModel } from "./FakeOllamaPaths.ts"
import type { Script } from "./FakeOllamaScript.ts"
import { noonAnswer, planOf, testSkills } from "./TestRun.ts"
import { stageNameOf } from "./stageName.ts"

const canary = "hidden-canary-7731"

const sandbox = Effect.acquireRelease(
  Effect.sync(() => {
    const made = makeSandbox()
    for (const [path, text] of Object.entries(testSkills)) made.write(`project/${path}`, text)
    const secrets =
      "project/.env.local project/secrets.yaml project/keys/id_ed25519 project/infra/prod.tfvars project/infra/service-account.json project/.npmrc project/denied/notes.md project/denied/AGENTS.md outside/notes.md home/.aws/credentials".split(
        " "
      )
    for (const path of secrets) made.write(path, `# Heading ${canary}\n\n${canary}\n`)
    made.write("project/package.json", JSON.stringify({ scripts: { [canary]: canary } }))
    made.write("project/plain.md", "Nothing special.\n")
    made.write("project/linked/plain.md", "Nothing special.\n")
    symlinkSync(join(made.root, "project/.env.local"), join(made.root, "project/linked/AGENTS.md"))
    symlinkSync(join(made.root, "project/secrets.yaml"), join(made.root, "project/harmless.md"))
    symlinkSync(join(made.root, "outside"), join(made.root, "project/docs"))
    return made
  }),
  ({ remove }) => Effect.sync(remove)
)

const obedient: Script = ({ messages }) => noonAnswer(stageNameOf(messages))

type Given = Readonly<Record<string, string | ReadonlyArray<string>>>

/** Calls a tool of the server in this process; gives its result, and everything that the model was sent. */
const callTool = Effect.fnUntraced(function* (name: "plan" | "run", given: (root: string) => Given) {
  const { root } = yield* sandbox
  const server = yield* FakeOllama.make(obedient, { models: [{ name: fakeModel }] })
  const env = environmentOf(root, { OLLAMA_HOST: server.url })
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const output = Output.layerOf({ env, stdin: {}, stdout: nowhere, stderr: nowhere })
  const reported: Array<string> = []
  const deny = ["read_file:denied", "read_file:package.json"]
  const result = yield* Effect.gen(function* () {
    const tools = yield* mcpServedTools({
      project: join(root, "project"),
      flags: { model: fakeModel, deny },
      approveSteps: true
    })
    const tool = tools.find((one) => one.name === name)
    return yield* tool!.execute(given(root) as never, {
      report: (text: string) => Effect.sync(() => void reported.push(text)),
      choose: undefined
    })
  }).pipe(
    Effect.provide(Layer.merge(NodeServices.layer, output)),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))
  )
  return { result, sent: JSON.stringify(server.chats), reported: reported.join("\n") }
})

const paths = `.env.local ./.env.local plain/../.env.local secrets.yaml keys/id_ed25519 infra/prod.tfvars
  infra/service-account.json .npmrc harmless.md docs/notes.md denied/notes.md ../outside/notes.md ROOT/outside/notes.md
  ROOT/home/.aws/credentials ROOT/project/.env.local`.split(/\s+/)

const referring = (reference: string): Given => ({
  prompt: "Say what it says.",
  plan: planOf([[{ name: "Look 1", references: reference }]])
})

const references = [
  "[Notes](secrets.yaml#L1)",
  "[N](file:///ROOT/project/.npmrc)",
  "[N](%2Eenv.local)",
  "[N](</docs/notes.md>)"
]

/** What is hidden, or how it is named, in the short tests. */
const main: ReadonlySet<string> = new Set([
  ".env.local",
  "./.env.local",
  "harmless.md",
  "denied/notes.md",
  "linked/plain.md"
])

/** The tests of the main paths, or of the others. */
export const testClosedGate = (which: "main" | "others"): void => {
  const isMeant = (name: string): boolean => main.has(name) === (which === "main")
  describe("with a closed gate nothing hidden gets into a prompt", () => {
    for (const [index, path] of paths.entries()) {
      if (!isMeant(path)) continue
      const at = (root: string) => path.replace("ROOT", root)
      it.live(`by a reference of a plan to ${path}`, () =>
        Effect.gen(function* () {
          const { result, sent, reported } = yield* callTool("run", (root) => referring(`[Notes](${at(root)})`))
          assert.notInclude(sent, canary)
          assert.notInclude(JSON.stringify(result) + reported, canary)
          assert.isTrue(result.isError)
        })
      )

      if (index % 2 === 0) continue
      it.live(`as the current file ${path}`, () =>
        Effect.gen(function* () {
          const { result, sent } = yield* callTool("plan", (root) => ({ prompt: "Plan it.", file: at(root) }))
          assert.deepStrictEqual([result.isError, result.data["exit_code"], sent], [true, 4, "[]"])
          assert.match(result.text, /^Cannot use the current file: Permission denied: (?:a rule denies )?read_file on /)
        })
      )

      if (index % 4 === 1) continue
      it.live(`as the open file ${path}`, () =>
        Effect.gen(function* () {
          const { result, sent } = yield* callTool("run", (root) => ({
            prompt: "Do it.",
            open: ["plain.md", at(root)]
          }))
          assert.deepStrictEqual([result.isError, result.data["exit_code"], sent], [true, 4, "[]"])
          assert.match(result.text, /^Cannot use the open file: Permission denied: (?:a rule denies )?read_file on /)
        })
      )
    }

    for (const reference of references.filter(isMeant)) {
      it.live(`by the reference ${reference}`, () =>
        Effect.gen(function* () {
          const { result, sent, reported } = yield* callTool("run", (root) =>
            referring(reference.replace("/ROOT", root))
          )
          assert.notInclude(sent + JSON.stringify(result) + reported, canary)
        })
      )
    }

    for (const file of ["plain.md", "linked/plain.md"].filter(isMeant)) {
      it.live(`by the map or a description beside ${file}`, () =>
        Effect.gen(function* () {
          const { result, sent } = yield* callTool("run", () => ({ prompt: "Do it.", file }))
          assert.include(sent, "Nothing special.")
          assert.notInclude(sent, canary)
          assert.isFalse(result.isError)
        })
      )
    }
  })
}

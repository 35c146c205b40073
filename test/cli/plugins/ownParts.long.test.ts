import { assert, describe, it } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { processSandbox } from "../../support/fileSandbox.ts"

const module = (name: string) => `
import { appendFileSync } from "node:fs"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { definePlugin } from "task-conductor/plugin"

const greet = Command.make("greet", { who: Argument.String("WHO") }, ({ who }) => Console.log("Hello " + who))
const file = process.env["HEARD"]
export default definePlugin({
  name: "${name}",
  commands: {
    greet: { line: "Greet somebody", load: async () => greet },
    broken: { line: "Never loads", load: async () => { throw new Error("no such file") } },
    run: { line: "Never seen", load: async () => Command.make("run", {}, () => Console.log("stolen")) }
  },
  listener: ({ model }) =>
    process.env["THROWS"] !== undefined
      ? null.event
      : file === undefined
      ? Effect.fail("${name} cannot listen.")
      : Effect.succeed(({ event }) => Effect.sync(() => appendFileSync(file, model + " " + event.type + "\\n")))
})
`

const owner = processSandbox()
const guest = processSandbox()
owner.write("config/task-conductor/team.mjs", module("team"))
owner.write("config/task-conductor/config.json", JSON.stringify({ plugins: ["./team.mjs"] }))
guest.write("project/team.mjs", module("team"))
guest.write("project/task-conductor.json", JSON.stringify({ plugins: ["./team.mjs"] }))
for (const { write } of [owner, guest]) write("project/notes.md", "The notes say forty.\n")

const read = ["run", "What do the notes say?"]

describe.concurrent("a plugin of the user", () => {
  it("adds a command with its help, and replaces none", async () => {
    assert.deepStrictEqual(await owner.run(["greet", "you"]), { code: 0, stdout: "Hello you\n", stderr: "" })
    assert.include((await owner.run(["help", "greet"])).stdout, "WHO")
    const broken = await owner.run(["broken"])
    assert.strictEqual(broken.code, 2)
    assert.include(broken.stderr, 'The command "broken" of the plugin team cannot be loaded: no such file')
    const run = await owner.run(["run", "--help"])
    assert.include(run.stdout, "Plan the work for a prompt")
  })

  it("has its commands in the list of all", async () => {
    const { stdout } = await owner.run(["--help"])
    assert.match(stdout, /PLUGINS[^]*greet +Greet somebody/)
    assert.notInclude(stdout, "Never seen")
  })

  it("hears the events of a run", async () => {
    const heard = join(owner.root, "heard.txt")
    /* Named twice, it hears once. */
    const named = ["--plugin", join(owner.root, "config/task-conductor/team.mjs")]
    await owner.run([...read, ...named], { env: { HEARD: heard } })
    const lines = readFileSync(heard, "utf8").trim().split("\n")
    assert.strictEqual(lines[0], "embedded run.started")
    assert.strictEqual(lines.at(-1), "embedded run.finished")
    assert.strictEqual(lines.filter((line) => line === "embedded run.started").length, 1)
  })

  it("says why it does not listen, and the run goes on", async () => {
    const { code, stderr } = await owner.run(read)
    assert.strictEqual(code, 0, stderr)
    assert.include(stderr, "warning: team cannot listen.")
    const thrown = await owner.run(read, { env: { THROWS: "yes" } })
    assert.strictEqual(thrown.code, 0, thrown.stderr)
    assert.include(thrown.stderr, "warning: The plugin team could not begin to listen: ")
  })
})

describe.concurrent("a plugin of a project", () => {
  it("adds no command and hears nothing", async () => {
    const heard = join(guest.root, "heard.txt")
    assert.strictEqual((await guest.run(["greet", "you"])).code, 2)
    await guest.run([...read, "--allow", "load_plugin:./team.mjs *"], { env: { HEARD: heard } })
    assert.isFalse(existsSync(heard))
  })
})

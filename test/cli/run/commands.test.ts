import { assert, it, onTestFinished } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { makeSandbox, type Sandbox } from "../../support/binary.ts"
import { inProcess } from "../../support/inProcess.ts"
import { refinementRunning } from "../../support/TestRun.ts"

const sandboxWith = (files: Readonly<Record<string, string>>): Sandbox => {
  const sandbox = inProcess(makeSandbox())
  onTestFinished(sandbox.remove)
  for (const [path, text] of Object.entries(files)) sandbox.write(path, text)
  return sandbox
}

const declared = {
  tools: {
    say: {
      description: "Says a word.",
      command: ["echo", "{word}"],
      parameters: { type: "object", properties: { word: { type: "string" } } }
    }
  }
}
const listed = (stdout: string): ReadonlyArray<string> => stdout.split("\n").map((line) => line.split(" ")[0] ?? "")

it("are run when a task calls for it and a rule allows it, and else not, as the exit code says", async () => {
  const sandbox = sandboxWith({
    "project/run.md": refinementRunning("node", "a.js"),
    "project/a.js": 'require("fs").writeFileSync("out.txt", "ran")\nconsole.log("output-canary")\n'
  })
  const file = join(sandbox.root, "project/out.txt")
  assert.deepStrictEqual([(await sandbox.run(["execute", "run.md"])).code, existsSync(file)], [4, false])
  const allowed = ["--yes-this-run", "--allow", "run_command:node a.js"]
  const { code, stderr, stdout } = await sandbox.run(["execute", "run.md", ...allowed])
  assert.strictEqual(code, 0, stderr)
  assert.include(stdout, "output-canary")
  assert.strictEqual(readFileSync(file, "utf8"), "ran")
})

it("are tools when the user declares them", async () => {
  const sandbox = sandboxWith({ "config/task-conductor/config.json": JSON.stringify(declared) })
  const { code, stderr, stdout } = await sandbox.run(["tools", "list"])
  assert.deepStrictEqual([code, stderr, listed(stdout).includes("say")], [0, "", true])
})

it("that are declared wrongly are reported with their place", async () => {
  const text =
    '{\n  "tools": {\n    "say": { "description": "Says.", "command": ["echo", "{word}"] },\n    "Say It": { "description": "Says.", "command": ["echo"] }\n  }\n}\n'
  const sandbox = sandboxWith({ "project/task-conductor.json": text })
  const { code, stderr } = await sandbox.run(["tools", "list"])
  assert.strictEqual(code, 2)
  assert.deepStrictEqual(stderr.split("\n").slice(0, 2), [
    '<root>/project/task-conductor.json:3:58: "tools.say.command[1]": {word} is not a parameter. There are: none.',
    '<root>/project/task-conductor.json:4:5: "tools.Say It": the name of a tool is lower-case ASCII words joined by underscores.'
  ])
})

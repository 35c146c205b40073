/**
 * The examples that need no model are executed as a reader would execute them.
 */
import { afterAll, expect, it } from "vitest"
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { parse } from "yaml"
import { environmentOf, makeSandbox, program } from "./support/binary.ts"
import { needs } from "./support/needs.ts"
import { sarifProblems } from "./support/sarifProblems.ts"

const examples = fileURLToPath(new URL("../examples", import.meta.url))
const sandbox = makeSandbox()
const project = join(sandbox.root, "project")
afterAll(() => sandbox.remove())

sandbox.write("project/limits.md", "# Limits\n\nThe limits of a run are defined here.\n")
/* What an installation puts on the path. */
const tools = join(sandbox.root, "tools")
mkdirSync(tools)
writeFileSync(join(tools, "task-conductor"), `#!/usr/bin/env bash\nexec "${process.execPath}" "${program}" "$@"\n`)
chmodSync(join(tools, "task-conductor"), 0o755)

const start = (command: string, args: ReadonlyArray<string>) => {
  const env = environmentOf(sandbox.root, {
    PATH: `${tools}:${process.env["PATH"] ?? ""}`,
    TASK_CONDUCTOR_MODEL: "embedded"
  })
  const { status, stderr, stdout } = spawnSync(command, [...args], { cwd: project, env, encoding: "utf8" })
  return { code: status, stderr, stdout }
}

it("report a run from a script", () => {
  const { code, stderr, stdout } = start(process.execPath, [join(examples, "report-a-run.ts"), project, "script.html"])
  expect([code, stderr]).toEqual([0, ""])
  expect(stdout).toMatch(/^done, \d+ tasks, report in script\.html\n(\d+ ms (model|tool) .*\n){3}$/)
  expect(readFileSync(join(project, "script.html"), "utf8")).toContain("Where are the limits of a run defined?")
})

it("carry out a plan that a person allows on a page", async () => {
  const env = environmentOf(sandbox.root, { TASK_CONDUCTOR_MODEL: "embedded", PROJECT: project })
  const child = spawn(process.execPath, [join(examples, "approve-in-a-page.ts")], { cwd: project, env })
  let printed = ""
  child.stdout.on("data", (piece: Buffer) => (printed += piece.toString()))
  const ended = once(child, "exit")
  await once(child.stdout, "data")
  const address = printed.trim()
  let page = ""
  while (!page.includes("<form")) {
    await setTimeout(50)
    page = await (await fetch(address)).text()
  }
  expect(page).toContain("Is this the plan?")
  await fetch(address, { method: "POST", body: "answer=yes", redirect: "manual" })
  expect(await ended).toEqual([0, null])
  expect(printed).toMatch(/^http:.*\ndone: .*limits\.md/s)
})

it("answer and report in a shell", needs("bash"), () => {
  const script = join(examples, "answer-and-report.sh")
  const { code, stderr, stdout } = start("bash", [script, "Where are the limits of a run defined?", "shell.html"])
  expect([code, stderr]).toEqual([0, expect.stringContaining('"status": "done"')])
  expect(stdout).toContain("limits.md")
  expect(readFileSync(join(project, "shell.html"), "utf8")).toContain("<!doctype html>")
  expect(start("bash", [script]).stderr).toContain("Give a prompt in quotes.")
})

it("check plans on GitHub", needs("bash"), () => {
  interface Workflow {
    readonly jobs: {
      readonly plans: {
        readonly steps: ReadonlyArray<{ readonly run?: string; readonly with?: { readonly sarif_file?: string } }>
      }
    }
  }
  const { jobs } = parse(readFileSync(join(examples, "github-actions/check-plans.yml"), "utf8")) as Workflow
  const { steps } = jobs.plans
  sandbox.write("project/plans/wrong.md", "## No plan\n")
  const command = steps.find(({ run }) => run?.startsWith("task-conductor"))?.run ?? ""
  expect(start("bash", ["-e", "-c", command]).code).toBe(1)
  const file = steps.flatMap((step) => step.with?.sarif_file ?? [])[0] ?? ""
  const log: unknown = JSON.parse(readFileSync(join(project, file), "utf8"))
  expect(sarifProblems(log)).toEqual([])
  expect(JSON.stringify(log)).toContain("plans/wrong.md")
})

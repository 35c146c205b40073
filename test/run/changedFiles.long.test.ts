/**
 * Files that somebody changes while a run of the real binary is broken off: the run that goes on says which, on the
 * terminal and as an event, and nothing of what it wrote itself.
 */
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { liveTest } from "../support/liveTest.ts"
import { scopedSandbox } from "../support/binary.ts"
import type { ChatBody } from "../support/FakeOllamaScript.ts"
import { FakeOllama } from "../support/FakeOllama.ts"
import { fakeModel } from "../support/FakeOllamaPaths.ts"
import { stageNameOf } from "../support/stageName.ts"
import { planOf, refinementWith, resultSaying, testSkills } from "../support/TestRun.ts"

const write = (path: string, content: string) => ({ name: "write_file", arguments: { path, content } })

const calls: Readonly<Record<string, Parameters<typeof refinementWith>[0]>> = {
  "Write 1": [write("one.txt", "one\n")],
  "Write 2": [write("one.txt", "one again\n"), write("two.txt", "two\n"), write("notes.md", "# Written\n")],
  "Write 3": Array.from({ length: 12 }, (_, n) => write(`many/${String(n).padStart(2, "0")}.txt`, `${n}\n`))
}

const plan = planOf([
  [
    { name: "Look 1", skill: "talk", references: "[notes](notes.md), [guide](guide.md#L1-L1)" },
    { name: "Look 2", skill: "talk", references: "[guide](guide.md), [other](other.md)" },
    { name: "Write 1" }
  ],
  [{ name: "Write 2" }, { name: "Write 3" }],
  [{ name: "Last 1", skill: "talk", references: "[last](last.md)" }]
])

const taskOf = ({ messages }: ChatBody): string =>
  /^## Task\n+- \*\*Name\*\* (.+)$/m.exec(messages[1]?.content ?? "")?.[1] ?? ""

const answer = (body: ChatBody): string => {
  const stage = stageNameOf(body.messages)
  if (stage === "creation") return plan
  if (stage === "refinement") return refinementWith(calls[taskOf(body)] ?? [])
  if (stage === "execution") return resultSaying(`${taskOf(body)} is done.`)
  return stage === "iteration" ? planOf([]) : "All is done."
}

const isLast = (body: ChatBody): boolean => stageNameOf(body.messages) === "execution" && taskOf(body) === "Last 1"

const flags = ["--yes-this-run", "--allow", "write_file"]

/** A run that was killed when all tasks but the last had finished. */
const killed = Effect.gen(function* () {
  const sandbox = yield* scopedSandbox()
  const project = join(sandbox.root, "project")
  for (const [path, text] of Object.entries(testSkills)) sandbox.write(`project/${path}`, text)
  for (const name of ["notes", "guide", "other", "last"]) sandbox.write(`project/${name}.md`, `# ${name}\n\nText.\n`)
  let isHeld = true
  const server = yield* FakeOllama.make((body) =>
    isHeld && isLast(body) ? { text: "never", hold: "never" } : answer(body)
  )
  const env = { OLLAMA_HOST: server.url }
  const run = sandbox.start(["run", "--json", "--model", fakeModel, ...flags, "Do it."], { env })
  yield* server.until(({ chats }) => chats.some(isLast))
  run.child.kill("SIGKILL")
  yield* Effect.promise(() => run.ended)
  isHeld = false
  const [runId = ""] = globSync("*", { cwd: join(sandbox.root, "home/.local/state/task-conductor/runs") })
  const resume = (...words: ReadonlyArray<string>) =>
    Effect.promise(() => sandbox.run(["resume", runId, ...flags, ...words], { env }))
  return { project, resume, runId }
})

/** The types of the events, and those that are messages. */
const eventsOf = (stdout: string) => {
  const lines = stdout.trim().split("\n")
  const events = lines.map((line) => JSON.parse(line) as { readonly type: string; readonly text?: string })
  return { types: events.map(({ type }) => type), messages: events.filter(({ type }) => type === "message") }
}

liveTest("says nothing when nobody changed what finished tasks had read and written", function* () {
  const { project, resume } = yield* killed
  /* Only the task that had not finished reads it. */
  writeFileSync(join(project, "last.md"), "# last\n\nOther text.\n")
  const { code, stderr, stdout } = yield* resume("--json")
  expect([code, stderr]).toEqual([0, ""])
  expect(eventsOf(stdout).messages).toEqual([])
  expect(readFileSync(join(project, "one.txt"), "utf8")).toBe("one again\n")
})

liveTest("names each file that was changed or removed, with the task that read or wrote it, and goes on", function* () {
  const { project, resume, runId } = yield* killed
  writeFileSync(join(project, "other.md"), "# other\n\nOther text.\n")
  writeFileSync(join(project, "notes.md"), "# Mine\n")
  rmSync(join(project, "two.txt"))
  const { code, stdout } = yield* resume("--json")
  expect(code).toBe(0)
  const { messages, types } = eventsOf(stdout)
  expect(messages).toEqual([
    {
      at: expect.any(String),
      type: "message",
      level: "warning",
      code: "files-changed",
      text: `Files changed since this run used them: other.md (read by "Look 2"), notes.md (written by "Write 2"), two.txt (written by "Write 2"). What finished tasks found may no longer hold. The run continues with the changed files. To do a task and all after it again: task-conductor fork ${runId} --from "Look 2"`
    }
  ])
  expect(types.indexOf("message")).toBeGreaterThan(types.indexOf("run.started"))
  const again = yield* resume()
  expect(again.stderr).toContain('warning: Files changed since this run used them: other.md (read by "Look 2"),')
})

liveTest("compares the part that was shown, and names ten files and the number of the others", function* () {
  const { project, resume } = yield* killed
  writeFileSync(join(project, "guide.md"), "# guide\n\nOther text.\n")
  for (const file of globSync("many/*.txt", { cwd: project })) writeFileSync(join(project, file), "mine\n")
  const { stderr } = yield* resume()
  const named = /used them: (.*?)\. What/.exec(stderr)?.[1]?.split(", ")
  expect(named?.slice(0, 2)).toEqual(['guide.md (read by "Look 2")', 'many/00.txt (written by "Write 3")'])
  expect([named?.length, named?.at(-1)]).toEqual([10, 'many/08.txt (written by "Write 3") and 3 more'])
})

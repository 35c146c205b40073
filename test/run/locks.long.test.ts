/**
 * Runs beside each other on the real binary: one at a time changes a project and writes a journal, freed however it ends.
 */
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { liveTest } from "../support/liveTest.ts"
import { scopedSandbox } from "../support/binary.ts"
import { strace } from "../support/CrashPoints.ts"
import { FakeOllama } from "../support/FakeOllama.ts"
import { fakeModel } from "../support/FakeOllamaPaths.ts"
import { needs } from "../support/needs.ts"
import { planOf, refinementWith, resultSaying } from "../support/TestRun.ts"
import { stageNameOf } from "../support/stageName.ts"
import { waitFor } from "../support/waitFor.ts"

const answers: Readonly<Record<string, string>> = {
  creation: planOf([[{ name: "Look", skill: "search-code" }]]),
  refinement: refinementWith([{ name: "search_files", arguments: { pattern: "word" } }]),
  execution: resultSaying("Looked.")
}

const sandbox = scopedSandbox()
const words = ["run", "--model", fakeModel, "--json", "Find the word."]

liveTest(
  "ends with what the system says when it gives no lock, and has begun nothing",
  function* () {
    const { root, run } = yield* sandbox
    const embedded = ["run", "--model", "embedded", "Where is the word?"]
    const under = strace("bind", "error=EPERM:when=1", undefined)
    const refused = yield* Effect.promise(() => run(embedded, { under }))
    expect([refused.code, refused.stdout]).toEqual([1, ""])
    expect(refused.stderr).toMatch(
      /^The run \S+ cannot be locked against other runs: the system says EPERM\. Nothing was begun\. [^\n]+\n$/
    )
    expect(globSync("**/journal.jsonl", { cwd: join(root, "home") })).toEqual([])
    expect((yield* Effect.promise(() => run(embedded))).code).toBe(0)
  },
  needs("strace")
)

liveTest("resumes a run that goes on only when it is killed; other runs read and plan beside it", function* () {
  let isHeld = true
  const server = yield* FakeOllama.make(({ messages }) => {
    const stage = stageNameOf(messages)
    return stage === "execution" && isHeld ? { text: "never", hold: "never" } : (answers[stage] ?? "")
  })
  const { root, run, start } = yield* sandbox
  const env = { OLLAMA_HOST: server.url }
  const first = start(words, { env })
  yield* server.until(({ chats }) => chats.length === 3)
  const [runId = ""] = globSync("*", { cwd: join(root, "home/.local/state/task-conductor/runs") })

  const resumed = yield* Effect.promise(() => run(["resume", runId], { env }))
  const by = `is in use by run ${runId} \\(pid ${first.child.pid}, since \\d+ \\w+, \\d\\d:\\d\\d\\)\\. Wait for it,`
  expect(resumed.code).toBe(1)
  expect(resumed.stderr).toMatch(new RegExp(`^The run ${runId} ${by} or end it first\\.\n$`))
  expect(server.chats.length).toBe(3)

  const reading = ["run", "--model", "embedded", "Where is the word?"]
  const beside = yield* Effect.promise(() => run(reading, { env }))
  expect([beside.code, beside.stderr.split("\n").at(-2)]).toEqual([0, expect.stringMatching(/^done: /)])

  first.child.kill("SIGKILL")
  yield* Effect.promise(() => first.ended)
  isHeld = false
  const after = yield* Effect.promise(() => run(["resume", runId], { env }))
  expect([after.code, after.stdout.trim()]).toEqual([0, "Looked."])
  expect((yield* Effect.promise(() => run(words, { env }))).code).toBe(0)
})

/** A run that changes the file of its prompt, and then looks for a word. */
const editing = (prompt: string, stage: string): string => {
  const path = /Change (\S+\.txt)/.exec(prompt)?.[1] ?? ""
  if (stage === "creation") {
    return planOf([[{ name: `Edit ${path}`, skill: "edit-files" }], [{ name: "Look", skill: "search-code" }]])
  }
  if (stage === "execution") return resultSaying("Done.")
  if (stage === "iteration") return planOf([])
  if (stage !== "refinement") return "All is done."
  const edit = { name: "edit_file", arguments: { path, old_text: "one", new_text: "two" } }
  return refinementWith([/Name\*\* Look/.test(prompt) ? { name: "search_files", arguments: { pattern: "x" } } : edit])
}

liveTest("lets a run wait for another that changes the project or a folder above, and says for whom", function* () {
  let isHeld = true
  const server = yield* FakeOllama.make(({ messages }) => {
    const stage = stageNameOf(messages)
    const prompt = messages.map(({ content }) => content).join("\n")
    const answer = editing(prompt, stage)
    return isHeld && prompt.includes("Change a.txt") && answer.includes("search_files")
      ? { text: "never", hold: "never" }
      : answer
  })
  const { root, start, write } = yield* sandbox
  for (const name of ["a.txt", "sub/b.txt"]) write(`project/${name}`, "one\n")
  const env = { OLLAMA_HOST: server.url }
  const change = (path: string, ...more: ReadonlyArray<string>) =>
    start(["run", "--model", fakeModel, "--yes-this-run", ...more, `Change ${path}.`], { env })
  const text = (name: string) => readFileSync(join(root, "project", name), "utf8")
  const first = change("a.txt")
  yield* waitFor("the first change", () => text("a.txt") === "two\n", first.stderr)
  const nested = change("b.txt", "--project", "sub")
  const other = change("sub/b.txt")
  const line = new RegExp(`is being changed by run \\S+ \\(pid ${first.child.pid}, since `)
  for (const one of [nested, other]) yield* waitFor("the line", () => line.test(one.stderr()), one.stderr)
  expect(text("sub/b.txt")).toBe("one\n")
  isHeld = false
  first.child.kill("SIGKILL")
  const ends = yield* Effect.promise(() => Promise.all([nested.ended, other.ended]))
  expect(text("sub/b.txt")).toBe("two\n")
  /* One of them changes the file; the other finds the text that it was to replace gone, and says so. */
  expect(ends.map(({ code }) => code)).toContain(0)
})

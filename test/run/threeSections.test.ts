/**
 * One whole run against a server that speaks like Ollama: three sections (three tasks side by side, a consumer of two
 * results, an approved writer), two rounds, and in each stage an answer that is rejected and one that is mended. The
 * prompts, the events and the report are compared as a whole with the files beside the answers.
 */
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { modelCallKey } from "../../src/domain/runs/ActivityKey.ts"
import type { RunEvent } from "../../src/domain/runs/RunEvent.ts"
import { Approver, stopAtUncertain } from "../../src/services/approvals/Approver.ts"
import { layerOllama } from "../../src/services/providers/ollama/OllamaModel.ts"
import { Pipeline } from "../../src/services/pipeline/Pipeline.ts"
import { Workspace } from "../../src/services/files/Workspace.ts"
import { nodeTest } from "../support/nodeTest.ts"
import { EventLog } from "../support/EventLog.ts"
import { FakeOllama } from "../support/FakeOllama.ts"
import type { ChatBody } from "../support/FakeOllamaScript.ts"
import { layerTestRun } from "../support/TestRun.ts"
import { withoutRepeats } from "../support/withoutRepeats.ts"
import { waitFor } from "../support/waitFor.ts"
import { stageNameOf } from "../support/stageName.ts"
import { isAboutSandbox } from "../support/sandboxMessage.ts"

const folder = join(import.meta.dirname, "../fixtures/runs/three-sections")
const answer = (name: string): string => readFileSync(join(folder, "answers", `${name}.md`), "utf8")

const projectFiles = Object.fromEntries(
  readdirSync(join(folder, "project"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const file = join(entry.parentPath, entry.name)
      return [file.slice(join(folder, "project").length + 1), readFileSync(file, "utf8")]
    })
)

const stageNames: Readonly<Record<string, string>> = {
  creation: "plan",
  refinement: "refine",
  execution: "execute",
  iteration: "iterate",
  conclusion: "conclude"
}

/** `refine_research-1_2`: stage, task and how often this was asked. */
const makeNaming = () => {
  const counts = new Map<string, number>()
  return ({ messages }: ChatBody): string => {
    const stage = stageNames[stageNameOf(messages)] ?? "unknown"
    const [, task] = /^## Task\n+- \*\*Name\*\* (.+)$/m.exec(messages[1]?.content ?? "") ?? []
    const key = task === undefined ? stage : `${stage}_${task.toLowerCase().replaceAll(" ", "-")}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
    return `${key}_${counts.get(key)}`
  }
}

const approver = Layer.succeed(Approver)(
  Approver.of({
    step: () => Effect.succeed({ answer: "step", by: "person" }),
    call: () => Effect.succeed({ answer: "deny", by: "person" }),
    inDoubt: () => stopAtUncertain
  })
)

/** What is let go, and what has to have happened before the next is: a call that arrives, or a task that ends. */
const sequence: ReadonlyArray<readonly [release: string, then: string]> = [
  ["plan_1", "plan_2"],
  ["plan_2", "refine_research-3_1"],
  ["refine_research-1_1", "refine_research-1_2"],
  ["refine_research-3_1", "execute_research-3_1"],
  ["refine_research-2_1", "execute_research-2_1"],
  ["execute_research-3_1", "task.finished Research 3"],
  ["execute_research-2_1", "execute_research-2_2"],
  ["refine_research-1_2", "execute_research-1_1"],
  ["execute_research-2_2", "task.finished Research 2"],
  ["execute_research-1_1", "execute_summary_1"],
  ["execute_summary_1", "refine_write-page_1"],
  ["refine_write-page_1", "execute_write-page_1"],
  ["execute_write-page_1", "iterate_1"],
  ["iterate_1", "iterate_2"],
  ["iterate_2", "refine_check-page_1"],
  ["refine_check-page_1", "execute_check-page_1"],
  ["execute_check-page_1", "iterate_3"],
  ["iterate_3", "conclude_1"],
  ["conclude_1", "conclude_2"],
  ["conclude_2", "run.finished"]
]

const eventName = (event: RunEvent): string =>
  event.type === "task.finished" || event.type === "task.started" ? `${event.type} ${event.task}` : event.type

/** The task of an event; events of different tasks have no order between them. */
const subjectOf = (event: RunEvent): string => {
  if ("task" in event) return event.task ?? ""
  if ("call" in event && "task" in event.call) return event.call.task ?? ""
  return "id" in event ? event.id.task : ""
}

const model = (url: string) => layerOllama({ host: url, model: "qwen3:8b", contextWindow: 8192, maxAnswerTokens: 2048 })

nodeTest("plans, checks, refines, asks, runs, iterates and concludes", function* () {
  const nameOf = makeNaming()
  const names: Array<string> = []
  const server = yield* FakeOllama.make((body) => {
    const name = nameOf(body)
    names.push(name)
    return { text: answer(name), hold: name, promptTokens: 100, answerTokens: 10 }
  })

  yield* Effect.gen(function* () {
    const pipeline = yield* Pipeline
    const log = yield* EventLog
    const { root } = yield* Workspace
    const run = yield* pipeline
      .run({
        runId: "run-1",
        prompt: "Explain how permissions are decided and write it to docs/permissions.md."
      })
      .pipe(Effect.forkChild)

    yield* waitFor("the first call", () => names.length === 1)
    for (const [release, then] of sequence) {
      yield* server.release(release)
      yield* waitFor(
        `${then} after ${release}`,
        () => names.includes(then) || log.events().some((event) => eventName(event) === then)
      )
    }
    const report = yield* Fiber.join(run)

    /** Leaves out what differs from machine to machine; hashes and sizes depend on the path of the project. */
    const neutral = (text: string): string =>
      text
        .replaceAll(root, "/project")
        .replaceAll(/- Shell: [^\n"\\]*(?:\n|\\n)/g, "")
        .replaceAll(/(- (?:Date|Operating system): )[^\n"\\]*/g, "$1...")
        .replaceAll(/"hash":"[0-9a-f]{64}"/g, '"hash":"..."')
        .replaceAll(/("(?:estimatedTokens|data_size_bytes)": ?)\d+/g, (_, key: string) => `${key}0`)

    const started = log.events().flatMap((event) => (event.type === "model.started" ? [modelCallKey(event.call)] : []))
    /** In the order of release: calls that leave together may arrive in any order. */
    const prompts = sequence.map(([name]) => {
      const messages = server.chats[names.indexOf(name)]?.messages ?? []
      return { name, text: neutral(messages.map(({ content, role }) => `<!-- ${role} -->\n${content}`).join("\n\n")) }
    })
    yield* Effect.promise(async () => {
      await expect(withoutRepeats(prompts)).toMatchFileSnapshot(join(folder, "prompts.md"))
      await expect(`${started.toSorted().join("\n")}\n`).toMatchFileSnapshot(join(folder, "calls.txt"))
      await expect(
        neutral(
          log
            .events()
            .filter((event) => event.type !== "message" || !isAboutSandbox(event.text))
            .toSorted((a, b) => subjectOf(a).localeCompare(subjectOf(b)))
            .map((event) => JSON.stringify(event))
            .join("\n")
        )
      ).toMatchFileSnapshot(join(folder, "events.jsonl"))
      const lines = [{ ...report, results: report.results.length }, ...report.results]
      await expect(neutral(lines.map((line) => JSON.stringify(line)).join("\n"))).toMatchFileSnapshot(
        join(folder, "report.jsonl")
      )
    })
    expect(names.toSorted()).toEqual(sequence.map(([release]) => release).toSorted())
    expect([report.status, report.rounds]).toEqual(["done", 2])
    expect(readFileSync(join(root, "docs/permissions.md"), "utf8")).toBe(
      "# Permissions\n\nDeny beats ask beats allow. What no rule knows is asked.\n"
    )
    expect(server.chats.every((chat) => chat.options?.num_ctx === 8192)).toBe(true)
  }).pipe(
    Effect.provide(
      layerTestRun({
        files: projectFiles,
        approver,
        rules: [{ verdict: "allow", tool: "read_file" }],
        settings: { parallel: 4, model: "qwen3:8b", host: server.url }
      }).pipe(Layer.provideMerge(model(server.url)))
    )
  )
})

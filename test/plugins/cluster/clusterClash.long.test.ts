import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { askedOf, makeCluster, writing } from "../../support/Cluster.ts"
import type { ChatBody } from "../../support/FakeOllamaScript.ts"
import { liveTest } from "../../support/liveTest.ts"
import { needsPostgres } from "../../support/Postgres.ts"
import { planOf, refinementWith, resultSaying } from "../../support/TestRun.ts"
import { waitFor } from "../../support/waitFor.ts"

/** Tasks that each change the same line. */
const names = Array.from({ length: 12 }, (_, index) => `Edit ${index + 1}`)

const edit = (old: string, now: string) =>
  refinementWith([{ name: "edit_file", arguments: { path: "a.txt", old_text: old, new_text: now } }])

describe("tasks on two workers that change the same lines", needsPostgres, () => {
  liveTest("give each later one a turn with the clash, on top of what the earlier ones changed", function* () {
    const { begin, sandbox, worker } = yield* makeCluster
    sandbox.write("project/a.txt", "one\ntwo\nthree\n")
    const seen = new Map<string, string>()
    const begun = new Map<string, number>()
    const script = (at: number) => (body: ChatBody) => {
      const { stage, task } = askedOf(body)
      if (stage === "creation") return planOf([names.map((name) => ({ name, skill: "edit-files" }))])
      if (!names.includes(task)) return writing({ stage, task })
      const last = body.messages.at(-1)?.content ?? ""
      const clash = body.messages.find(({ content }) => content.includes("others changed the same lines of a.txt"))
      if (stage !== "refinement" && (clash === undefined || last.includes("### Changed: ")))
        return resultSaying("Done.")
      const [, now = "two"] = /, as it is now\n\n```text\none\n(.+)\nthree/.exec(clash?.content ?? "") ?? []
      if (clash === undefined) begun.set(task, at)
      else seen.set(task, now)
      const text = edit(now, `${now}, ${task}`)
      /* Nobody changes the file before all have read it. */
      return clash === undefined ? { text, hold: "all" } : text
    }
    /* Half of the tasks each: both have to take some. */
    const flags = ["--parallel", "6"]
    const first = yield* worker(script(0), flags)
    const second = yield* worker(script(1), flags)
    const client = yield* begin(["--yes-this-run"])
    yield* waitFor("all tasks", () => begun.size === names.length)
    for (const { server } of [first, second]) yield* server.release("all")
    const { code, stderr } = yield* Effect.promise(() => client.ended)
    expect(code, stderr).toBe(0)
    expect(new Set(begun.values())).toEqual(new Set([0, 1]))
    expect(readFileSync(join(sandbox.root, "project/a.txt"), "utf8")).toBe(`one\ntwo, ${names.join(", ")}\nthree\n`)
    expect(Object.fromEntries(seen)).toEqual(
      Object.fromEntries(names.slice(1).map((name, index) => [name, ["two", ...names.slice(0, index + 1)].join(", ")]))
    )
  })
})

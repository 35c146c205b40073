/**
 * How the binary ends when promised work was not done: exit code, message, and the last event.
 */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { makeSandbox } from "../../support/binary.ts"
import { FakeOllama } from "../../support/FakeOllama.ts"
import { fakeModel } from "../../support/FakeOllamaPaths.ts"
import { stageNameOf } from "../../support/stageName.ts"
import { planOf, refinementWith, resultSaying } from "../../support/TestRun.ts"

/** A model that edits the same text twice, calls that done, and links a page that nobody fetched. */
const answerTo = (stage: string): string => {
  switch (stage) {
    case "creation":
      return planOf([[{ name: "Edit 1", skill: "edit-files" }]])
    case "refinement":
      return refinementWith(
        ["1", "2"].map((new_text) => ({ name: "edit_file", arguments: { path: "a.txt", old_text: "one", new_text } }))
      )
    case "execution":
      return resultSaying("Changed [a.txt](a.txt#L1) as [the docs](https://example.com/never) say.")
    case "iteration":
      return planOf([])
    default:
      return "All is changed, see [Edit 1](#edit-1-results)."
  }
}

const makeWorld = Effect.gen(function* () {
  const sandbox = yield* Effect.acquireRelease(Effect.sync(makeSandbox), ({ remove }) => Effect.sync(remove))
  sandbox.write("project/a.txt", "one\n")
  const server = yield* FakeOllama.make(({ messages }) => answerTo(stageNameOf(messages)))
  const start = (...words: ReadonlyArray<string>) =>
    Effect.promise(() => sandbox.run(words, { env: { OLLAMA_HOST: server.url } }))
  return { start, sandbox }
})

const words = ["--model", fakeModel, "--yes-this-run", "--allow", "edit_file", "Change a.txt."]

describe("a run whose change failed", () => {
  it.live("exits with 1, says what was not changed and what to do, and counts wrong links", () =>
    Effect.gen(function* () {
      const { start } = yield* makeWorld
      const { code, stderr, stdout } = yield* start("run", ...words)
      expect(code).toBe(1)
      expect(stdout.trim()).toMatch(
        /^Not done \(failed\): "Edit 1" did not change a\.txt [^\n]+\n\n1 file changed, [^]*\n\nAll is changed, see Edit 1 \(\[a\.txt\]\(a\.txt#L1\)\)\.$/
      )
      expect(stderr).toContain('error: "Edit 1" did not change a.txt (edit_file). It failed: Nothing was changed.')
      expect(stderr).toMatch(/task-conductor fork \S+ --from "Edit 1"/)
      /* A failed run of which every task has ended has nothing to go on with. */
      expect(stderr).not.toContain("Resume it")
      expect(stderr).toContain("evidence: 1 of 3 links could not be confirmed; each is marked in the text")
    })
  )

  it.live("says the same in its last event", () =>
    Effect.gen(function* () {
      const { start } = yield* makeWorld
      const { code, stdout } = yield* start("run", "--json", ...words)
      const last = JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as unknown
      expect(code).toBe(1)
      expect(last).toMatchObject({
        type: "run.finished",
        exit_code: 1,
        report: {
          status: "failed",
          evidence: { checked: 3, wrong: 1 },
          facts: { files: [{ path: "a.txt", kind: "changed", insertions: 1, deletions: 1 }], state: "not checked" }
        }
      })
    })
  )
})

describe("a text that drops most of a file, as its answer says", () => {
  const lines = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`)
  const content = `${lines.slice(0, 4).join("\n")}\n`
  const answer = (stage: string) =>
    stage === "refinement"
      ? `I remove what nobody uses.\n\n${refinementWith([{ name: "write_file", arguments: { path: "a.txt", content } }])}`
      : stage === "execution"
        ? resultSaying("Shortened [a.txt](a.txt).")
        : answerTo(stage)

  it.live("is not written under --yes alone, and is when a rule names the file", () =>
    Effect.gen(function* () {
      const sandbox = yield* Effect.acquireRelease(Effect.sync(makeSandbox), ({ remove }) => Effect.sync(remove))
      sandbox.write("project/a.txt", `${lines.join("\n")}\n`)
      const server = yield* FakeOllama.make(({ messages }) => answer(stageNameOf(messages)))
      const run = (...more: ReadonlyArray<string>) =>
        Effect.promise(() =>
          sandbox.run(["run", "--model", fakeModel, "--yes", ...more, "Shorten a.txt."], {
            env: { OLLAMA_HOST: server.url }
          })
        )
      const { code, stderr } = yield* run()
      expect(code).toBe(4)
      expect(stderr).toContain("write_file on a.txt needs approval and there is no terminal to ask on")
      expect(readFileSync(`${sandbox.root}/project/a.txt`, "utf8")).toBe(`${lines.join("\n")}\n`)
      expect((yield* run("--allow", "write_file:a.txt")).code).toBe(0)
      expect(readFileSync(`${sandbox.root}/project/a.txt`, "utf8")).toBe(content)
    })
  )
})

describe("a skill of a plugin that is not trusted", () => {
  it.live("exits with 3, and names the tool and the option that trusts the plugin", () =>
    Effect.gen(function* () {
      const { sandbox, start } = yield* makeWorld
      sandbox.write("project/counter.js", "export default {}\n")
      sandbox.write("project/task-conductor.json", '{ "plugins": ["./counter.js"] }\n')
      sandbox.write(
        "project/.task-conductor/skills/count/SKILL.md",
        "---\nname: count\ndescription: Counts. Use it in tests.\nallowed-tools: count_words\n---\n\n## Execution\n\nCount.\n"
      )
      const { code, stderr, stdout } = yield* start("run", "--model", fakeModel, "--skill", "count", "Count.")
      expect([code, stdout]).toEqual([3, ""])
      expect(stderr).toContain('The skill "count" cannot work: there is no tool count_words.')
      expect(stderr).toMatch(/error: .*--allow "load_plugin:/)
    })
  )
})

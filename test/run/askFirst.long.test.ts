/** Runs with `--ask-first` that break the project, are killed or resumed. */
import { describe, expect } from "@effect/vitest"
import { appendFileSync } from "node:fs"
import type { FilledPrompt } from "../../src/domain/models/PromptSize.ts"
import { needs } from "../support/needs.ts"
import { nodeTest } from "../support/nodeTest.ts"
import { scriptedApprover, willingApprover } from "../support/ScriptedApprover.ts"
import { stageName } from "../support/stageName.ts"
import { planOf, refinementWith } from "../support/TestRun.ts"
import { text, edit, model, makeRun, notBroken, settings, changesIn, breaking } from "../support/AskFirstRun.ts"

/** A model whose task breaks the project with a command, and then changes another file. */
const breakingUnseen = (prompt: FilledPrompt): string =>
  stageName(prompt) === "creation"
    ? planOf([[{ name: "Edit", skill: "free" }]])
    : model(
        refinementWith([
          {
            name: "run_command",
            arguments: { argv: ["sh", "-c", `printf '${text.replace("two", "broken")}' > a.txt`] }
          }
        ]),
        edit("one", "1", "b.txt")
      )(prompt)

describe("a run that asks first", () => {
  nodeTest("covers what repairs a change in the same files, and asks about other files", function* () {
    const run = yield* makeRun
    const approver = scriptedApprover({ steps: ["repairs", "decline"], calls: ["session"] })
    const answer = model(edit("two", "broken"), edit("broken", "2"), edit("two", "2", "b.txt"))
    const { events, report } = yield* run.session({ answer, approver: approver.layer, settings })
    expect(approver.asked[0]?.map(({ offers }) => offers?.repairs)).toEqual(["later changes of a.txt by this task"])
    expect(changesIn(approver.asked)).toEqual([[["-two", "+broken"]], [["-two", "+2"]]])
    const answers = events.flatMap((event) =>
      event.type === "approval.answered" ? [[event.scope, event.answer, event.by]] : []
    )
    expect(answers.filter(([, answer]) => answer === "repairs")).toEqual([
      ["step", "repairs", "person"],
      ["call", "repairs", "person"]
    ])
    expect([yield* run.read("a.txt"), yield* run.read("b.txt")]).toEqual([text.replace("two", "2"), text])
    /* What was made stands in the report, although the rest was declined. */
    expect([report?.status, report?.results[0]?.files?.map(({ path }) => path)]).toEqual(["declined", ["a.txt"]])
    expect(report?.results[0]?.result.summary).toBe("Partly done: a further change was declined.")
  })

  nodeTest("asks about a repair when somebody else has changed the file since", function* () {
    const run = yield* makeRun
    const approver = scriptedApprover({ steps: ["repairs", "step"], calls: ["session"] })
    const answer = (prompt: FilledPrompt): string => {
      const said = breaking(prompt)
      if (said === edit("broken", "2")) appendFileSync(`${run.project}/a.txt`, "more\n")
      return said
    }
    const { report } = yield* run.session({ answer, approver: approver.layer, settings })
    expect(changesIn(approver.asked)).toHaveLength(2)
    expect(report?.status).toBe("done")
  })

  for (const [name, fails, failures, status] of [
    ["does not blame a change for what failed before it", "true", [], "done"],
    ["blames a change for what it breaks beside what failed before", notBroken, ["a.py::test_a"], "unverified"]
  ] as const) {
    nodeTest(
      name,
      function* () {
        const run = yield* makeRun
        const check = `echo "FAILED old.py::test_old"\n${fails} || echo "FAILED a.py::test_a"\necho "1 failed, 1 passed in 0.1s"\nexit 1\n`
        yield* run.fs.writeFileString(`${run.project}/check.sh`, check)
        const answer = model(edit("two", "broken"), edit("one", "1", "b.txt"))
        const { events, report } = yield* run.session({ answer, approver: willingApprover(), settings })
        const found = events.flatMap((event) => (event.type === "check.finished" ? [event.newFailures] : []))
        expect([found, report?.status]).toEqual([[failures, failures], status])
      },
      needs("bwrap")
    )
  }

  nodeTest("blames the task for what a command of it broke, also before the run was resumed", function* () {
    const run = yield* makeRun
    const session = run.session({ answer: breakingUnseen, approver: willingApprover(), settings })
    const { called, report } = yield* session
    expect(called).toEqual(["Edit/turn-1/call-1", "Edit/turn-2/call-1"])
    expect([report?.status, yield* run.read("a.txt")]).toEqual(["unverified", text.replace("two", "broken")])
    yield* run.cutAfter("outcome round-1/turn/edit/attempt-2")
    yield* run.fs.writeFileString(`${run.project}/b.txt`, text)
    expect((yield* session).report?.status).toBe("unverified")
  })

  const kills = [
    ["outcome", "round-1/turn/edit/attempt-1", ["Edit/turn-1/call-1", "Edit/turn-2/call-1"], text],
    ["outcome", "round-1/tool/edit/turn-1/call-1", ["Edit/turn-2/call-1"], text.replace("two", "broken")],
    ["outcome", "round-1/tool/edit/turn-2/call-1", [], text.replace("two", "2")],
    ["settled", "round-1/refined/edit", [], text.replace("two", "2")]
  ] as const
  for (const [type, key, called, there] of kills) {
    nodeTest(`makes no change twice when it is killed after the ${type} of ${key}`, function* () {
      const run = yield* makeRun
      const whole = yield* run.session({ answer: breaking, approver: willingApprover(), settings })
      yield* run.cutAfter(`${type} ${key}`)
      yield* run.fs.writeFileString(`${run.project}/a.txt`, there)
      const resumed = yield* run.session({ answer: breaking, approver: willingApprover(), settings })
      expect([resumed.called, resumed.report?.status]).toEqual([called, "done"])
      expect(resumed.report?.results[0]?.files).toEqual(whole.report?.results[0]?.files)
      expect(yield* run.read("a.txt")).toBe(text.replace("two", "2"))
    })
  }
})

import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { CheckReport } from "../../src/domain/checking/CheckReport.ts"
import { promptOfPlan } from "../../src/domain/documents/TaskListFormat.ts"
import { ruleOf } from "../../src/domain/findings/rules/Rules.ts"
import { NoValidPlan } from "../../src/domain/runs/RunOrder.ts"
import { Pipeline } from "../../src/services/pipeline/Pipeline.ts"
import { ScriptedModel } from "../../src/services/providers/ScriptedModel.ts"
import { makeSandbox } from "../support/binary.ts"
import { EventLog } from "../support/EventLog.ts"
import { exampleFiles } from "../support/ExampleKinds.ts"
import { generatedPlans, planExamples } from "../support/generatedPlans.ts"
import { inProcess } from "../support/inProcess.ts"
import { layerTestRun } from "../support/TestRun.ts"

const sandbox = inProcess(makeSandbox())
afterAll(sandbox.remove)

const explainFile =
  "---\nname: explain-file\ndescription: Explains a file. Use it in examples.\nallowed-tools: read_file\n---\n\n## Execution\n\nExplain it.\n"

const plans = generatedPlans(300).map((text, index) => ({ text, file: `plan-${index + 1}.md` }))

beforeAll(() => {
  for (const [path, text] of Object.entries(exampleFiles)) sandbox.write(`project/${path}`, text)
  sandbox.write("project/.agents/skills/explain-file/SKILL.md", explainFile)
  for (const { file, text } of plans) sandbox.write(`project/${file}`, text)
})

interface Judged {
  readonly accepted: boolean
  readonly issues: ReadonlyArray<string>
  readonly repairs: ReadonlyArray<string>
}

const codesOf = (found: ReadonlyArray<{ readonly code: string }>) => [...new Set(found.map(({ code }) => code))].sort()

/** What `check --json` says of every plan. */
const checkAll = async (): Promise<ReadonlyArray<Judged>> => {
  const { stderr, stdout } = await sandbox.run(["check", ...plans.map(({ file }) => file), "--json"])
  assert.strictEqual(stderr, "")
  const reports = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as CheckReport)
  return reports.map(({ issues, repairs, verdict }) => ({
    accepted: verdict !== "rejected",
    issues: codesOf(issues),
    repairs: verdict === "rejected" ? [] : codesOf(repairs)
  }))
}

/** What `run --plan` makes of every plan, up to the first round. */
const readAll = Effect.gen(function* () {
  const pipeline = yield* Pipeline
  const log = yield* EventLog
  return yield* Effect.forEach(plans, ({ file, text }) =>
    pipeline.plan({ runId: file, prompt: promptOfPlan(text, file), plan: text }).pipe(
      Effect.map((): Judged => {
        const created = log.events().findLast((event) => event.type === "plan.created")
        return { accepted: true, issues: [], repairs: codesOf(created?.repairs ?? []) }
      }),
      Effect.catch((error) => {
        if (!(error instanceof NoValidPlan)) return Effect.die(error)
        return Effect.succeed<Judged>({ accepted: false, issues: codesOf(error.issues), repairs: [] })
      })
    )
  )
}).pipe(
  Effect.provide(
    layerTestRun({ at: { project: `${sandbox.root}/project`, home: `${sandbox.root}/home` } }).pipe(
      Layer.provide(ScriptedModel.layer(() => "The model is not asked."))
    )
  )
)

describe("check in a project", () => {
  it("accepts what run --plan accepts and rejects the rest for the same reasons", async () => {
    const [checked, read] = [await checkAll(), await Effect.runPromise(readAll)]
    assert.strictEqual(checked.length, plans.length)
    for (const [index, judged] of checked.entries()) {
      assert.deepStrictEqual(judged, read[index], plans[index]?.text)
    }
    const found = new Set(checked.flatMap(({ issues, repairs }) => [...issues, ...repairs]))
    const errors = planExamples.filter(({ code }) => ruleOf(code)?.severity === "error").map(({ code }) => code)
    assert.deepStrictEqual(
      errors.filter((code) => !found.has(code)),
      []
    )
    const accepted = checked.filter((judged) => judged.accepted).length
    assert.isAbove(accepted, 30)
    assert.isBelow(accepted, 270)
  })
})

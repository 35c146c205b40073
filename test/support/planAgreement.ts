/**
 * What `check` says of generated plans, and what `run --plan` makes of them, in one project: for a part of them in a test,
 * for many in bench/plan-agreement.ts.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { CheckReport } from "../../src/domain/documents/CheckReport.ts"
import { ruleText } from "../../src/domain/permissions/Permission.ts"
import { promptOfPlan } from "../../src/domain/documents/TaskListFormat.ts"
import { NoValidPlan } from "../../src/domain/runs/RunOrder.ts"
import { Approver } from "../../src/services/approvals/Approver.ts"
import { Pipeline } from "../../src/services/pipeline/Pipeline.ts"
import { ScriptedModel } from "../../src/services/providers/ScriptedModel.ts"
import { makeSandbox, type Sandbox } from "./binary.ts"
import { EventLog } from "./EventLog.ts"
import { exampleFiles, exampleRule } from "./ExampleKinds.ts"
import { generatedPlans } from "./generatedPlans.ts"
import { inProcess } from "./inProcess.ts"
import { layerTestRun } from "./TestRun.ts"

const explainFile =
  "---\nname: explain-file\ndescription: Explains a file. Use it in examples.\nallowed-tools: read_file\n---\n\n## Execution\n\nExplain it.\n"

interface Plan {
  readonly file: string
  readonly text: string
}

/** How a plan was judged; the repairs of a rejected one are left out. */
export interface Judged {
  readonly accepted: boolean
  readonly issues: ReadonlyArray<string>
  readonly repairs: ReadonlyArray<string>
}

const codesOf = (found: ReadonlyArray<{ readonly code: string }>) => [...new Set(found.map(({ code }) => code))].sort()

/** What `check --json` says of every plan. */
const checkAll = async (sandbox: Sandbox, plans: ReadonlyArray<Plan>): Promise<ReadonlyArray<Judged>> => {
  const { stderr, stdout } = await sandbox.run(["check", ...plans.map(({ file }) => file), "--json"])
  if (stderr !== "") throw new Error(stderr)
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

/** What `run --plan` makes of every plan, up to the first round, when somebody may be asked later. */
const readAll = ({ root }: Sandbox, plans: ReadonlyArray<Plan>) =>
  Effect.gen(function* () {
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
      layerTestRun({
        rules: [exampleRule],
        approver: Approver.layerNotAsked,
        at: { project: `${root}/project`, home: `${root}/home` }
      }).pipe(Layer.provide(ScriptedModel.layer(() => "The model is not asked.")))
    )
  )

/** Every plan with both judgements. */
export const judgePlans = async (count: number) => {
  const plans = generatedPlans(count).map((text, index): Plan => ({ text, file: `plan-${index + 1}.md` }))
  const sandbox = inProcess(makeSandbox())
  try {
    for (const [path, text] of Object.entries(exampleFiles)) sandbox.write(`project/${path}`, text)
    sandbox.write("project/task-conductor.json", JSON.stringify({ deny: [ruleText(exampleRule)] }))
    sandbox.write("project/.agents/skills/explain-file/SKILL.md", explainFile)
    for (const { file, text } of plans) sandbox.write(`project/${file}`, text)
    const checked = await checkAll(sandbox, plans)
    const read = await Effect.runPromise(readAll(sandbox, plans))
    return plans.map(({ text }, index) => ({ text, checked: checked[index], read: read[index] }))
  } finally {
    sandbox.remove()
  }
}

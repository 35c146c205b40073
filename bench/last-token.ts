/**
 * How long a person waits from the last token of a plan to the checked task list, with and without reading the plan while
 * it is written. Every figure is from a process of its own, as in a run: what is not compiled yet counts.
 *
 *   node bench/last-token.ts [--tasks 100] [--repeat 7]
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { execFileSync } from "node:child_process"
import { readdirSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
import { parseArgs } from "node:util"
import { type BriefingParts, requestDocument } from "../src/domain/models/Briefing.ts"
import { builtIns } from "../src/app/builtIns.ts"
import { Activities } from "../src/services/journal/Activities.ts"
import { Gate } from "../src/services/permissions/Gate.ts"
import { PlanChecker } from "../src/services/pipeline/PlanChecker.ts"
import { Prompts } from "../src/services/models/Prompts.ts"
import { References } from "../src/services/references/References.ts"
import { RunEvents } from "../src/services/runs/RunEvents.ts"
import { TokenCalibration } from "../src/services/models/TokenCalibration.ts"
import { RunSettings } from "../src/services/runs/RunSettings.ts"
import { Commands } from "../src/services/commands/Commands.ts"
import { Skills } from "../src/services/skills/Skills.ts"
import { ToolRegistry } from "../src/services/tools/ToolRegistry.ts"
import { layerPublicWeb } from "../src/services/web/PublicWeb.ts"
import { Workspace } from "../src/services/files/Workspace.ts"

const { values } = parseArgs({
  options: {
    tasks: { type: "string", default: "100" },
    repeat: { type: "string", default: "7" },
    mode: { type: "string", default: "" }
  }
})
const tasks = Number(values.tasks)
const project = new URL("..", import.meta.url).pathname

const files = readdirSync(`${project}/src/domain`, { recursive: true, encoding: "utf8" }).filter((name) =>
  name.endsWith(".ts")
)

const task = (index: number): string =>
  [
    `- **Name** Research ${index}`,
    `- **What is needed** Find where file number ${index} reads its settings and which defaults it applies when one is missing.`,
    "- **Skill** read-code",
    `- **References** [File](src/domain/${files[index % files.length]}) [Project](#project-description)${index < 10 ? "" : ` [Before](#research-${index - 10}-results)`}`,
    "- **Expected output** File and line of every place, one sentence each.",
    ""
  ].join("\n")

const plan = [
  "## Original prompt\n\nExplain the settings.\n\n## Goals / summary\n\nThe settings are explained.\n\n## Tasks\n",
  ...Array.from(
    { length: Math.ceil(tasks / 10) },
    (_, step) =>
      `### Task section ${step + 1}\n\n${Array.from({ length: Math.min(10, tasks - step * 10) }, (_, n) => task(step * 10 + n)).join("\n")}`
  )
].join("\n")

/** A token is about four characters. */
const tokens = plan.match(/[^]{1,4}/g) ?? []

const parts: BriefingParts = {
  prompt: "Explain the settings.",
  environment: "",
  projectDescription: "# Project",
  openFiles: []
}

const world = PlanChecker.layer.pipe(
  Layer.provide(References.layer),
  Layer.provide([Activities.layerUnsaved, RunEvents.layerSilent, TokenCalibration.layer, Prompts.layer]),
  Layer.provide([
    Layer.succeed(Gate)(
      Gate.of({
        authorize: () => Effect.die("not a tool call"),
        authorizeReference: () => Effect.void,
        authorizeStart: () => Effect.die("nothing starts"),
        resolveInDoubt: () => Effect.die("nothing is in doubt"),
        approveStep: () => Effect.die("not a step"),
        denials: Effect.succeed([]),
        wishes: Effect.succeed([]),
        foresee: () => Effect.undefined,
        asksNobody: () => Effect.succeed(true),
        mayRead: () => Effect.succeed(true),
        sessionGrants: Effect.succeed([]),
        addRule: () => Effect.void,
        addedRules: Effect.succeed([]),
        snapshot: Effect.die("never shared"),
        restore: () => Effect.void
      })
    ),
    ToolRegistry.layer(builtIns()),
    Skills.layer({ project, home: "/nonexistent", config: "/nonexistent" }),
    RunSettings.layer({ referenceBudget: 1_000_000 })
  ]),
  Layer.provide([Workspace.layer(project), layerPublicWeb({ allowed: [] }), Commands.layerNone]),
  Layer.provide(NodeServices.layer)
)

/** One plan from the last token on: reading it, and checking it with everything that needs the world; in ms. */
const measure = (isStreamed: boolean) =>
  Effect.gen(function* () {
    const checker = yield* PlanChecker
    const ahead = yield* checker.streamingReader
    const listen = ahead.listen()
    for (const [index, token] of tokens.entries()) {
      if (isStreamed) listen(token)
      if (index % 20 === 0) yield* Effect.promise(() => setTimeout(1))
    }
    const given = isStreamed ? { ahead } : {}
    const last = performance.now()
    const { issues } = yield* checker.check(plan, {
      briefing: { ...parts, requestDocument: requestDocument(parts) },
      finished: [],
      mayBeEmpty: false,
      ...given
    })
    const checked = performance.now() - last
    if (issues.length > 0) throw new Error(JSON.stringify(issues.slice(0, 3)))
    return checked
  }).pipe(Effect.scoped, Effect.provide(world))

const median = (numbers: ReadonlyArray<number>): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0

const inProcesses = (mode: string): number =>
  median(
    Array.from({ length: Number(values.repeat) }, () =>
      Number(
        execFileSync(process.execPath, [import.meta.filename, "--mode", mode, "--tasks", values.tasks], {
          encoding: "utf8"
        })
      )
    )
  )

if (values.mode !== "") {
  console.log(await Effect.runPromise(measure(values.mode === "streamed")))
} else {
  console.log(
    `${tasks} tasks, ${plan.length} characters, from the last token to the checked plan, median of ${values.repeat} processes`
  )
  console.log(`read when it is complete       ${inProcesses("whole").toFixed(1).padStart(7)} ms`)
  console.log(`read while it is written       ${inProcesses("streamed").toFixed(1).padStart(7)} ms`)
}

/**
 * The planner and the turns of tasks, each by itself over a real project folder, with a scripted model.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { builtIns } from "../../src/app/layers.ts"
import { type Briefing, type BriefingParts, requestDocument } from "../../src/domain/models/Briefing.ts"
import type { FilledPrompt } from "../../src/domain/models/PromptSize.ts"
import type { Rule } from "../../src/domain/permissions/Permission.ts"
import { Approver } from "../../src/services/approvals/Approver.ts"
import { Checks } from "../../src/services/checks/Checks.ts"
import type { Commands } from "../../src/services/commands/Commands.ts"
import { layerNoCommands } from "./NoCommands.ts"
import { Workspace } from "../../src/services/files/Workspace.ts"
import { ModelCaller } from "../../src/services/models/ModelCaller.ts"
import { ModelSlots } from "../../src/services/models/ModelSlots.ts"
import { Prompts } from "../../src/services/models/Prompts.ts"
import { TokenCalibration } from "../../src/services/models/TokenCalibration.ts"
import { Gate } from "../../src/services/permissions/Gate.ts"
import { Attempts } from "../../src/services/pipeline/Attempts.ts"
import { PlanChecker } from "../../src/services/pipeline/PlanChecker.ts"
import { changeKinds } from "../../src/services/pipeline/CheckedEvidence.ts"
import { makeJoinChanges } from "../../src/services/pipeline/JoinChanges.ts"
import { makePlanner } from "../../src/services/pipeline/Planner.ts"
import { Agent } from "../../src/services/agent/Agent.ts"
import { makeCompaction } from "../../src/services/agent/Compaction.ts"
import { TaskAgent } from "../../src/services/pipeline/TaskAgent.ts"
import { ChangeApplier } from "../../src/services/pipeline/ChangeApplier.ts"
import { type ScriptedAnswer, ScriptedModel, type ScriptedRequest } from "../../src/services/providers/ScriptedModel.ts"
import { messageText } from "../../src/services/providers/PromptText.ts"
import { Evidence } from "../../src/services/references/Evidence.ts"
import { References } from "../../src/services/references/References.ts"
import type { RunEvents } from "../../src/services/runs/RunEvents.ts"
import { RunSettings, type Settings } from "../../src/services/runs/RunSettings.ts"
import { UsageMeter } from "../../src/services/runs/UsageMeter.ts"
import { Skills } from "../../src/services/skills/Skills.ts"
import type { Plugin } from "../../src/services/tools/Plugin.ts"
import { ToolRegistry } from "../../src/services/tools/ToolRegistry.ts"
import { ToolRunner } from "../../src/services/tools/ToolRunner.ts"
import { layerPublicWeb } from "../../src/plugins/web/PublicWeb.ts"
import { EventLog } from "./EventLog.ts"
import { layerWorld } from "./layerWorld.ts"
import { makeFolder, makeProject } from "./Project.ts"
import { testSkills } from "./TestRun.ts"
import { leavesMachine } from "../../src/app/providers.ts"

export interface OpenStages {
  /** What the model says, in order; it is a defect to ask it once more. */
  readonly answers?: ReadonlyArray<ScriptedAnswer | string>
  /** Says it instead, by the number of the call from 0. */
  readonly answer?: (index: number) => string
  /** Files of the project by path, beside the skills for tests. */
  readonly files?: Readonly<Record<string, string>>
  readonly settings?: Partial<Settings>
  /** Allows everything when absent. */
  readonly approver?: Layer.Layer<Approver>
  readonly rules?: ReadonlyArray<Rule>
  /** The real ones, which know no command, when absent. */
  readonly checks?: Layer.Layer<Checks>
  /** Run nothing when absent. */
  readonly commands?: Layer.Layer<Commands, never, RunEvents | Workspace>
  /** Beside the built-in ones. */
  readonly plugins?: ReadonlyArray<Plugin>
}

const parts: BriefingParts = {
  prompt: "Do it.",
  environment: "- Date: 2026-11-20",
  projectDescription: "",
  openFiles: []
}

/** The briefing of a request that says "Do it.". */
export const briefing: Briefing = { ...parts, requestDocument: requestDocument(parts) }

const layerStages = ({ checks }: OpenStages) =>
  Layer.mergeAll(TaskAgent.layer, ChangeApplier.layer).pipe(
    Layer.provideMerge(Agent.layer),
    Layer.provideMerge(PlanChecker.layer),
    Layer.provideMerge(
      Layer.mergeAll(Attempts.layer, checks ?? Checks.layer, Evidence.layer, References.layer, ToolRunner.layer())
    ),
    Layer.provide(ModelCaller.layer),
    Layer.provideMerge(Layer.mergeAll(ModelSlots.layer, TokenCalibration.layer, UsageMeter.layer, Prompts.layer))
  )

export const openStages = Effect.fnUntraced(function* (given: OpenStages = {}) {
  const prompts: Array<FilledPrompt> = []
  /** The texts of the messages behind the system part, for each call. */
  const messages: Array<ReadonlyArray<string>> = []
  const requests: Array<ScriptedRequest> = []
  const model = ScriptedModel.layer((prompt, index, request) => {
    prompts.push(prompt)
    requests.push(request)
    messages.push(request.messages.slice(1).map(messageText))
    const answer = given.answer?.(index) ?? given.answers?.[index]
    if (answer === undefined) throw new Error(`No answer is prepared for call ${index + 1} of the model.`)
    return answer
  })
  const project = yield* makeProject({ ...testSkills, ...given.files })
  const home = yield* makeFolder
  const world = Layer.mergeAll(
    layerWorld(project, { ...given, web: layerPublicWeb({ allowed: [] }) }),
    given.commands === undefined
      ? layerNoCommands
      : Layer.provide(given.commands, [Workspace.layer(project), EventLog.layer]),
    RunSettings.layer(given.settings),
    Skills.layer({ project, home }, leavesMachine)
  )
  const context = yield* layerStages(given).pipe(
    Layer.provide(model),
    Layer.provideMerge(Gate.layer({ rules: given.rules ?? [] })),
    Layer.provideMerge(ToolRegistry.layer([builtIns, ...(given.plugins ?? [])])),
    Layer.provideMerge(world),
    Layer.build
  )
  return yield* Effect.provideContext(
    Effect.gen(function* () {
      return {
        project,
        prompts,
        messages,
        requests,
        planner: yield* makePlanner,
        taskAgent: yield* TaskAgent,
        agent: yield* Agent,
        within: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provideContext(effect, context),
        join: yield* makeJoinChanges,
        compaction: yield* makeCompaction,
        applier: yield* ChangeApplier,
        kinds: yield* changeKinds,
        meter: yield* UsageMeter,
        log: yield* EventLog
      }
    }),
    context
  )
})

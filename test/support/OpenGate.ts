/**
 * A gate over a real project folder, and prepared calls to judge.
 */
import type * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { CanonicalAccess, Risk } from "../../src/domain/tools/Access.ts"
import type { Rule } from "../../src/domain/permissions/Permission.ts"
import type { RememberedRule } from "../../src/domain/permissions/PolicyFormat.ts"
import { Approver } from "../../src/services/approvals/Approver.ts"
import { Gate } from "../../src/services/permissions/Gate.ts"
import { ProjectWriteLock } from "../../src/services/files/ProjectWriteLock.ts"
import type { GateOptions } from "../../src/services/permissions/Policy.ts"
import { RunAnswers } from "../../src/services/permissions/RunAnswers.ts"
import { Policies } from "../../src/services/permissions/Policies.ts"
import { questionOfAccess, questionOfCall, type QuestionScope } from "../../src/services/permissions/GateQuestion.ts"
import type { PreparedCall } from "../../src/domain/tools/ToolCall.ts"
import { Workspace } from "../../src/services/files/Workspace.ts"
import { EventLog } from "./EventLog.ts"
import { makeProject } from "./Project.ts"

export const prepared = (
  name: string,
  risk: Risk,
  accesses: ReadonlyArray<CanonicalAccess> = [],
  given: Record<string, string> = {}
): PreparedCall => ({
  call: { uid: "call-1", name, arguments: given },
  info: {
    name,
    origin: "built-in",
    description: "",
    risk: "safe",
    effect: "pure",
    parameters: {},
    example: {},
    definition: ""
  },
  risk,
  accesses
})
export const reading = (path: string, inside = true) =>
  prepared("read_file", "medium", [{ _tag: "ReadFile", path, inside }], { path })
export const writing = (path: string, content: string, inside = true) =>
  prepared("write_file", "high", [{ _tag: "WriteFile", path, inside, content }], { path, content })

export const allow = (tool: string, pattern?: string): Rule =>
  pattern === undefined ? { verdict: "allow", tool } : { verdict: "allow", tool, pattern }
export const deny = (tool: string, pattern?: string): Rule => ({ ...allow(tool, pattern), verdict: "deny" })

/** Where a task asks; nothing of it is persisted. */
export const inTask = (task: string): QuestionScope => ({ task, place: "" })

/** A gate over a project folder, with its approver and what it published. */
export const openGate = Effect.fnUntraced(function* (given: {
  readonly approver?: Layer.Layer<Approver>
  readonly options?: (root: string) => GateOptions
  readonly remembered?: ReadonlyArray<RememberedRule>
  /** A folder that is there already. */
  readonly root?: string
  readonly policies?: (root: string) => Layer.Layer<Policies, never, NodeServices.NodeServices>
  readonly lock?: Layer.Layer<ProjectWriteLock>
}) {
  const root = given.root ?? (yield* makeProject({ "README.md": "old\n", "src/a.ts": "a\n" }))
  const world = Layer.mergeAll(
    Workspace.layer(root),
    given.policies?.(root) ?? Policies.layerMemory(given.remembered),
    given.approver ?? Approver.layerDenyAll,
    given.lock ?? ProjectWriteLock.layerHeld,
    EventLog.layer
  )
  const context = yield* Layer.build(Gate.layer(given.options?.(root)).pipe(Layer.provideMerge(world)))
  return yield* Effect.provideContext(
    Effect.gen(function* () {
      const gate = yield* Gate
      /** Asks the gate for a call, or for one access of a reference. */
      const authorize = (call: PreparedCall | CanonicalAccess, task = "T") =>
        gate.authorize("_tag" in call ? questionOfAccess(inTask(task), call) : questionOfCall(inTask(task), call))
      return {
        root,
        answers: yield* RunAnswers,
        gate,
        authorize,
        /** Asks likewise, and expects a denial. */
        denial: (call: PreparedCall | CanonicalAccess, task?: string) => Effect.flip(authorize(call, task)),
        policies: yield* Policies,
        log: yield* EventLog
      }
    }),
    context
  )
})

/**
 * Runs hooks: commands of the configuration that run when an event occurs. A hook runs in the sandbox and reads the
 * event as JSON on stdin. Hooks of a project run only if the user trusts the commands and the project files that they
 * run.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import { commandText } from "../../domain/commands/CommandText.ts"
import { splitCommand } from "../../domain/commands/CommandSplit.ts"
import type { CheckLine } from "../../domain/configuration/CheckLine.ts"
import type { Configuration } from "../../domain/configuration/Configuration.ts"
import { type WriteAccess, writtenText } from "../../domain/tools/Access.ts"
import { type CanonicalCommand, Commands } from "../commands/Commands.ts"
import { hashOf } from "../files/Hash.ts"
import { CurrentCopy } from "../files/WorkingCopy.ts"
import { Workspace } from "../files/Workspace.ts"
import { Gate, foreseeDenial } from "../permissions/Gate.ts"
import { beforeRun, questionOfAccess } from "../permissions/GateQuestion.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { ChangeGuard } from "../tools/ToolRunner.ts"
import { declaredNotTrusted, type PluginProblem } from "../tools/PluginProblem.ts"

type Declared = NonNullable<Configuration["hooks"]>
type HookEvent = keyof Declared

export interface DeclaredHooks {
  readonly ofUser: Declared
  readonly ofProject: Declared
}

interface Hook {
  readonly event: HookEvent
  readonly argv: CanonicalCommand["argv"]
  /** The hash of the files that the hook runs, as the user trusted them. Absent for the user's own hooks. */
  readonly scripts?: string
}

const argvOf = (line: CheckLine): CanonicalCommand["argv"] => {
  const words = typeof line === "string" ? splitCommand(line) : line
  /** Invalid commands cannot occur here, because the configuration was checked when it was read. */
  return typeof words === "string" ? [words] : words
}

const hooksOf = (declared: Declared): ReadonlyArray<Hook> =>
  Object.entries(declared).flatMap(([event, lines]) =>
    lines.map((line): Hook => ({ event: event as HookEvent, argv: argvOf(line) }))
  )

const projectFile = "task-conductor.json"
const nameInRules = `hooks of ${projectFile}`

/** The last lines of a command's output. */
const wordsOf = (output: string): string => output.trim().split("\n").slice(-5).join("\n")

const makeHooks = Effect.fnUntraced(function* (project: string, { ofProject, ofUser }: DeclaredHooks) {
  const commands = yield* Commands
  const gate = yield* Gate
  const path = yield* Path.Path
  const { root } = yield* Workspace

  const canonical = ({ argv }: Hook) =>
    Effect.provideService(commands.canonical({ _tag: "RunCommand", argv }), CurrentCopy, undefined)
  const scriptsOf = (hook: Hook) =>
    Effect.map(Effect.result(canonical(hook)), (found) =>
      hashOf(Result.isSuccess(found) ? (found.success.scripts ?? []) : [])
    )

  /** The hooks of the project, if the user trusts them. */
  const trusted = Effect.gen(function* () {
    const hooks = yield* Effect.forEach(hooksOf(ofProject), (hook) =>
      Effect.map(scriptsOf(hook), (scripts) => ({ ...hook, scripts }))
    )
    if (hooks.length === 0) return []
    const hash = hashOf(hooks)
    const does = hooks.map(({ argv, event }) => `Hook ${event} runs: ${commandText(argv)}`)
    const file = path.join(project, projectFile)
    yield* Effect.mapError(
      gate.authorize(questionOfAccess(beforeRun, { _tag: "LoadPlugin", name: nameInRules, path: file, hash, does })),
      ({ by }) => declaredNotTrusted(nameInRules, hash, by)
    )
    return hooks
  })
  const found = yield* Effect.result(trusted)
  const hooks: ReadonlyArray<Hook> = [...hooksOf(ofUser), ...Result.getOrElse(found, () => [])]
  const problems: ReadonlyArray<PluginProblem> = Result.isFailure(found) ? [found.failure] : []

  /** Runs a hook. Says why it failed; undefined if it succeeded. */
  const runOne = Effect.fnUntraced(function* (hook: Hook, input: string) {
    const what = `The hook ${commandText(hook.argv)} (${hook.event})`
    const command = yield* canonical(hook)
    if (hook.scripts !== undefined && hook.scripts !== hashOf(command.scripts ?? [])) {
      return `${what} was not run: the files that it runs changed since you trusted them.`
    }
    const denial = yield* foreseeDenial(gate, command)
    if (command.denial !== undefined || denial?.by === "rules") {
      return `${what} was not run: ${command.denial ?? "a rule denies it"}.`
    }
    const { exitCode, output, stopped } = yield* commands.run(command, { stdin: input })
    if (exitCode === 0) return undefined
    return `${what} failed: ${stopped ?? (output.trim() === "" ? `exit code ${exitCode}` : wordsOf(output))}`
  })

  /**
   * Runs the hooks of an event in order, and returns the failures. If `stops` is true, ends after the first failure.
   */
  const run = Effect.fn("Hooks.run")(function* (event: HookEvent, about: object, stops = false) {
    const failures: Array<string> = []
    for (const hook of hooks.filter((one) => one.event === event)) {
      const failure = yield* runOne(hook, `${JSON.stringify({ event, project: root, ...about })}\n`).pipe(
        Effect.provideService(CurrentCopy, undefined),
        Effect.catch(({ message }) =>
          Effect.succeed(`The hook ${commandText(hook.argv)} (${event}) failed: ${message}`)
        )
      )
      if (failure !== undefined) failures.push(failure)
      if (failure !== undefined && stops) break
    }
    return failures
  })
  return { problems, run, root }
})

export class Hooks extends Context.Service<Hooks, Effect.Success<ReturnType<typeof makeHooks>>>()(
  "task-conductor/services/plugins/Hooks"
) {
  /** `project` is an absolute path. */
  static readonly layer = (project: string, declared: DeclaredHooks) =>
    Layer.effect(Hooks, makeHooks(project, declared))

  static readonly layerNone = Layer.succeed(Hooks)({ problems: [], root: "", run: () => Effect.succeed([]) })
}

export const layerChangeGuard = Layer.effect(
  ChangeGuard,
  Effect.gen(function* () {
    const events = yield* RunEvents
    const path = yield* Path.Path
    const { root, run } = yield* Hooks
    const filesOf = (writes: ReadonlyArray<WriteAccess>) =>
      writes.map((write) => ({ path: path.relative(root, write.path), content: writtenText(write) }))
    return {
      objectionTo: (writes) =>
        Effect.map(run("before-change", { files: filesOf(writes) }, true), ([objection]) => objection),
      noteMade: (writes) =>
        Effect.flatMap(run("after-change", { files: filesOf(writes) }), (failures) =>
          Effect.forEach(failures, (text) => events.publish({ type: "message", level: "warning", text }), {
            discard: true
          })
        )
    }
  })
)

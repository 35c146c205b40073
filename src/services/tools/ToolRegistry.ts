/**
 * All tools of a run by name, with their descriptions, the check of their calls, and the accesses of a call.
 *
 * A tool runs only with a permit of the gate. Its code can read the project. Everything else needs what the gate
 * granted for the call.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import {
  Access,
  accessTarget,
  type CanonicalAccess,
  canonicalOther,
  type OtherAccess,
  raisedRisk
} from "../../domain/tools/Access.ts"
import { toolInstructions } from "../../domain/models/ToolText.ts"
import { maxNesting } from "../../domain/text/Json.ts"
import { jsonFault } from "../../domain/tools/JsonFault.ts"
import { type PreparedCall, type ToolCall, ToolFailure } from "../../domain/tools/ToolCall.ts"
import { type CallQuestion, CallQuestions, FileReads, type HostServices, PageFetch } from "./HostServices.ts"
import type { Plugin } from "./Plugin.ts"
import { canonicalAccesses, checkCall, decodeCall, inspectCall } from "./CallCheck.ts"
import { type CallReports, noReports } from "./CallReports.ts"
import type { CallTime } from "./CallTime.ts"
import { withoutDeclaredSecrets } from "../runs/KnownSecrets.ts"
import { definedFields } from "../../domain/text/DefinedFields.ts"
import { Commands } from "../commands/Commands.ts"
import { type Permit, redeem } from "../permissions/Gate.ts"
import type { McpProblem, PluginProblem } from "./PluginProblem.ts"
import { type CallOutput, isOutput } from "./KeepOutput.ts"
import { loadPlugins, type LoadedTool } from "./PluginLoader.ts"
import { startTool } from "./ToolCode.ts"
import { WebFetch } from "./WebFetch.ts"
import { Workspace } from "../files/Workspace.ts"
import { isSecretLike } from "../../domain/files/SensitivePath.ts"

interface Granted {
  readonly accesses: ReadonlyArray<CanonicalAccess>
  /** Decides about an access that becomes known during the call. Absent while a plugin loads. */
  readonly admit?: Permit["admit"]
  /**
   * Decides about project files that the call did not declare. Absent while a plugin loads, because a loading plugin
   * may read all project files.
   */
  readonly mayRead?: Permit["mayRead"]
}

const denial = (message: string) => new ToolFailure({ type: "permission_denied", message })

const hiddenState = "unknown"

const isAccess = Schema.is(Access)

const undeclared = (what: string) =>
  denial(`Permission denied: the tool did not declare that it ${what}. This is a fault of the tool.`)

const grantedWorkspace = (
  workspace: Workspace["Service"],
  { accesses, mayRead = () => Effect.succeed(true) }: Granted
): Workspace["Service"] => {
  /** Returns the path if the tool may read it: a granted path, or the path of a project file. Otherwise it fails. */
  const readable = Effect.fnUntraced(function* (file: string) {
    if (accesses.some((access) => "inside" in access && access.path === file)) return file
    const { inside, path } = yield* workspace.canonical(file)
    if (!inside || isSecretLike(path)) return yield* undeclared(`reads ${path}`)
    if (yield* mayRead(path)) return path
    return yield* denial(`Permission denied: the rules for read_file keep ${path} from being read without a question.`)
  })
  return {
    ...workspace,
    /** Hides the hash of the file, because the hash would help to guess the content. */
    state: () => Effect.succeed(hiddenState),
    entry: (file) => Effect.map(workspace.entry(file), (entry) => entry && { ...entry, state: hiddenState }),
    readText: (file, maxBytes, range) =>
      Effect.flatMap(readable(file), (path) => workspace.readText(path, maxBytes, range)),
    encoding: (file) => Effect.orElseSucceed(Effect.flatMap(readable(file), workspace.encoding), () => undefined),
    write: (access) =>
      accesses.includes(access) ? workspace.write(access) : Effect.fail(undeclared(`writes ${access.path}`))
  }
}

const grantedPages = (web: WebFetch["Service"], { accesses, admit }: Granted): PageFetch["Service"] => ({
  get: Effect.fnUntraced(function* (url) {
    if (admit === undefined || !accesses.some((access) => access._tag === "FetchUrl" && access.url === url)) {
      return yield* undeclared(`fetches ${url}`)
    }
    const admitHop = (hop: string) =>
      Effect.mapError(admit({ _tag: "FetchUrl", url: hop }), ({ message }) => denial(message))
    return yield* Effect.catchTag(web.get(url, admitHop), "FetchFailure", ({ message, type }) =>
      Effect.fail(new ToolFailure({ type, message }))
    )
  })
})

/** Converts a question to an access, which the gate treats like a declared one. */
const accessOfQuestion = ({ details, does, target = does }: CallQuestion): Result.Result<OtherAccess, string> => {
  const access: Access = { _tag: "Other", target, changes: true, words: does, ...definedFields({ details }) }
  return isAccess(access)
    ? canonicalOther(withoutDeclaredSecrets(access))
    : Result.fail("A tool asked in an invalid form. This is a fault of the tool.")
}

const grantedQuestions = ({ admit }: Granted): CallQuestions["Service"] => ({
  ask: Effect.fnUntraced(function* (question) {
    const access = accessOfQuestion(question)
    if (Result.isFailure(access)) return yield* new ToolFailure({ type: "internal_error", message: access.failure })
    if (admit === undefined) return yield* denial("Permission denied: a plugin asks nothing while it loads.")
    yield* Effect.mapError(admit(access.success), ({ forModel }) => denial(forModel))
  })
})

const grantedCommands = (commands: Commands["Service"], { accesses }: Granted): Commands["Service"] => ({
  ...commands,
  run: (command, options) =>
    accesses.includes(command)
      ? commands.run(command, options)
      : Effect.fail(undeclared(`runs ${accessTarget(command)}`))
})

/** The services of the program for plugins, limited to what the gate granted. */
const grantedServices = (
  host: Context.Context<Commands | FileReads | WebFetch | Workspace>,
  granted: Granted
): Context.Context<HostServices> =>
  Context.makeUnsafe(
    new Map<string, unknown>([
      [FileReads.key, Context.get(host, FileReads)],
      [CallQuestions.key, grantedQuestions(granted)],
      [Commands.key, grantedCommands(Context.get(host, Commands), granted)],
      [PageFetch.key, grantedPages(Context.get(host, WebFetch), granted)],
      [Workspace.key, grantedWorkspace(Context.get(host, Workspace), granted)]
    ])
  )

/** What is needed to run a prepared call. Only the registry that prepared it has this. */
interface ReadyCall {
  readonly tool: LoadedTool
  readonly params: unknown
  readonly accesses: ReadonlyArray<CanonicalAccess>
}

/** A call whose arguments fit its tool. */
interface DecodedCall {
  /** Makes the accesses canonical, for the current state of the project. */
  readonly resolve: Effect.Effect<PreparedCall, ToolFailure>
}

/**
 * Builds the registry from plugins. Tools of built-in plugins come first. `setAside` contains the problems of plugins
 * that were already skipped.
 */
const makeToolRegistry = Effect.fnUntraced(function* (
  plugins: ReadonlyArray<Plugin>,
  setAside: ReadonlyArray<PluginProblem | McpProblem> = []
) {
  const host = yield* Effect.context<Commands | FileReads | WebFetch | Workspace>()
  const { problems, tools } = yield* Effect.provideContext(
    loadPlugins(plugins),
    grantedServices(host, { accesses: [] })
  )
  const context = { commands: yield* Commands, workspace: yield* Workspace }
  const waiting = new WeakMap<PreparedCall, ReadyCall>()
  const infos = new Map([...tools].map(([name, { info }]) => [name, info]))

  /** Finds the tool of a call and decodes its arguments. Fails with `not_found` or `validation_failed`. */
  const decode = Effect.fnUntraced(function* (call: ToolCall): Effect.fn.Return<DecodedCall, ToolFailure> {
    const { found: tool, params } = yield* decodeCall(call, tools)
    const resolve = Effect.map(canonicalAccesses(tool, params, context), (accesses) => {
      const risk = raisedRisk(tool.info.risk, accesses)
      const prepared: PreparedCall = Object.freeze({ call, info: tool.info, risk, accesses })
      waiting.set(prepared, { tool: tool, params, accesses })
      return prepared
    })
    return { resolve }
  })

  /**
   * Runs the call of a permit. A permit works only once, and the call uses exactly the values that the gate saw.
   * `paused` wraps each wait for the user.
   */
  const execute = Effect.fnUntraced(function* (
    permit: Permit,
    reports: CallReports = noReports,
    paused: CallTime["paused"] = (waiting) => waiting
  ) {
    const ready = redeem(permit) && permit.prepared ? waiting.get(permit.prepared) : undefined
    if (ready === undefined) {
      const message = "Permission denied: a tool runs only with a fresh permit of the gate."
      return yield* new ToolFailure({ type: "permission_denied", message })
    }
    const { accesses, tool, params } = ready
    const admit: Permit["admit"] = (access) => paused(permit.admit(access))
    const services = grantedServices(host, { accesses, admit, mayRead: permit.mayRead })
    const code = Effect.contextWith((context: Context.Context<HostServices>) =>
      startTool(tool.tool, params, { ...tool.settings, ...reports, granted: accesses }, context)
    )
    const data: CallOutput = yield* Effect.provideContext(code, services)
    if (isOutput(data)) return data
    const fault = jsonFault(data)
    if (fault === undefined) return data
    const { name } = tool.info
    if (fault === "deep") {
      const message = `The output of ${name} is nested more than ${maxNesting} levels deep; all of it was left out.`
      return yield* new ToolFailure({ type: "output_limit", message })
    }
    const message = `The tool ${name} returned what is not JSON: ${fault}. This is a fault of the tool.`
    return yield* new ToolFailure({ type: "internal_error", message })
  })

  return {
    tools: [...infos.values()],
    /** The plugins and servers that were skipped, with the reasons. */
    problems: [...setAside, ...problems],
    find: (name: string) => infos.get(name),
    /**
     * Checks one call against the tools that a skill may use. In order: the call has a name, the tool exists, the skill
     * may use it, no required argument is missing, and the arguments fit the schema.
     *
     * Collects all problems and runs nothing. A harmless deviation, such as a number as a string, is corrected and
     * noted as a repair. Issues name `task`.
     */
    check: (call: ToolCall, allowed: ReadonlySet<string>, task?: string) => checkCall(call, { tools, allowed, task }),
    /** The instructions for the model: the description, the parameters and an example of each tool. */
    instructions: (names: ReadonlyArray<string>) => toolInstructions(names.flatMap((name) => infos.get(name) ?? [])),
    changesSomething: (names: ReadonlyArray<string>) =>
      names.some((name) => infos.has(name) && infos.get(name)?.effect !== "pure"),
    decode,
    /** Decodes and resolves a call without running it. */
    prepare: (call: ToolCall) => Effect.flatMap(decode(call), ({ resolve }) => resolve),
    /** Why the call would fail now, as far as the project shows this. Undefined if it may succeed. */
    inspect: (call: ToolCall) => inspectCall(call, tools, context),
    execute
  }
})

export class ToolRegistry extends Context.Service<ToolRegistry>()("task-conductor/services/tools/ToolRegistry", {
  make: makeToolRegistry
}) {
  /** The tools live as long as the layer. */
  static readonly layer = (...args: Parameters<typeof makeToolRegistry>) =>
    Layer.effect(this, this.make(...args)).pipe(Layer.provide(FileReads.layer))
}

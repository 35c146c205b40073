/**
 * The services of the host as the code of a plugin may use them: it can read the project, and otherwise only access what
 * the gate granted for the call.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { accessTarget, type CanonicalAccess } from "../../domain/tools/Access.ts"
import { isSecretLike } from "../../domain/files/SensitivePath.ts"
import { ToolFailure } from "../../domain/tools/ToolCall.ts"
import { Commands } from "../commands/Commands.ts"
import { FileReads, type HostServices, PageFetch } from "./Plugin.ts"
import type { Permit } from "../permissions/Gate.ts"
import { WebFetch } from "./WebFetch.ts"
import { Workspace } from "../files/Workspace.ts"

interface Granted {
  readonly accesses: ReadonlyArray<CanonicalAccess>
  /** Decides about an access that is known only while the call runs; absent while a plugin loads. */
  readonly admit?: Permit["admit"]
  /** Decides about files of the project that the call did not declare; absent while a plugin loads, which needs no rule. */
  readonly mayRead?: Permit["mayRead"]
}

const denial = (message: string) => new ToolFailure({ type: "permission_denied", message })

const undeclared = (what: string) =>
  denial(`Permission denied: the tool did not declare that it ${what}. This is a fault of the tool.`)

const grantedWorkspace = (
  workspace: Workspace["Service"],
  { accesses, mayRead = () => Effect.succeed(true) }: Granted
): Workspace["Service"] => {
  /** The path to read: as it was granted, or canonical within the project. */
  const readable = Effect.fnUntraced(function* (file: string) {
    if (accesses.some((access) => "inside" in access && access.path === file)) return file
    const { inside, path } = yield* workspace.canonical(file)
    if (!inside || isSecretLike(path)) return yield* undeclared(`reads ${path}`)
    if (yield* mayRead(path)) return path
    return yield* denial(`Permission denied: the rules for read_file keep ${path} from being read without a question.`)
  })
  return {
    ...workspace,
    /* The hash of a file lets its content be guessed. */
    state: () => Effect.succeed("unknown"),
    readText: (file, maxBytes) => Effect.flatMap(readable(file), (path) => workspace.readText(path, maxBytes)),
    readLines: (file, range, maxBytes) =>
      Effect.flatMap(readable(file), (path) => workspace.readLines(path, range, maxBytes)),
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

const grantedCommands = (commands: Commands["Service"], { accesses }: Granted): Commands["Service"] => ({
  ...commands,
  run: (command, options) =>
    accesses.includes(command)
      ? commands.run(command, options)
      : Effect.fail(undeclared(`runs ${accessTarget(command)}`))
})

/** The services of the host, restricted to what was granted, for the code of a plugin. */
export const grantedServices = (
  host: Context.Context<Commands | FileReads | WebFetch | Workspace>,
  granted: Granted
): Context.Context<HostServices> =>
  Context.makeUnsafe(
    new Map<string, unknown>([
      [FileReads.key, Context.get(host, FileReads)],
      [Commands.key, grantedCommands(Context.get(host, Commands), granted)],
      [PageFetch.key, grantedPages(Context.get(host, WebFetch), granted)],
      [Workspace.key, grantedWorkspace(Context.get(host, Workspace), granted)]
    ])
  )

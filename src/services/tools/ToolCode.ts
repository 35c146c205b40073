/**
 * Runs the code of a tool: an effect or an async function. To stop the code, the program aborts the signal of the call.
 * An async function then gets as much time to end as other code of a plugin.
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { askFunction, type CallContext, hostFunctions } from "./CallContext.ts"
import type { ToolFailure } from "../../domain/tools/ToolCall.ts"
import type { HostServices } from "./HostServices.ts"
import type { CallOutput } from "./KeepOutput.ts"
import type { Tool } from "./Tool.ts"

const ignore = (): void => undefined

/**
 * The code of a tool. The types are those that the tool declares. The actual result or failure is not checked yet, and
 * may be any value.
 */
type Unchecked<R> = Effect.Effect<CallOutput, ToolFailure, R>

/** Waits for a promise. An interruption aborts the signal, and still waits until the promise settles. */
const awaited = (work: unknown, controller: AbortController): Unchecked<never> =>
  Effect.callback((resume) => {
    const settled = Promise.resolve(work as CallOutput)
    settled.then(
      (value) => resume(Effect.succeed(value)),
      (thrown: ToolFailure) => resume(Effect.fail(thrown))
    )
    return Effect.promise(() => {
      controller.abort()
      return settled.then(ignore, ignore)
    })
  })

/** The parts of a call's context that are known before its code begins. */
export type GivenContext = Omit<CallContext, "ask" | "host" | "signal">

/** Starts the code of a tool at once, even code that throws while it starts. Returns an effect with its result. */
export const startTool = <Params>(
  { execute }: Pick<Tool<Params>, "execute">,
  params: Params,
  context: GivenContext,
  services: Context.Context<HostServices>
): Unchecked<HostServices> => {
  const controller = new AbortController()
  const { signal } = controller
  const ended = new AbortController()
  const ask = askFunction(services, AbortSignal.any([signal, ended.signal]))
  const work = execute(params, { ...context, signal, ask, host: hostFunctions(services, signal) })
  const running = Effect.isEffect(work)
    ? Effect.onInterrupt(work, () => Effect.sync(() => controller.abort()))
    : awaited(work, controller)
  return Effect.ensuring(
    running,
    Effect.sync(() => ended.abort())
  )
}

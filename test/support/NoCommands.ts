import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ToolFailure } from "../../src/domain/tools/ToolCall.ts"
import { Commands } from "../../src/services/commands/Commands.ts"

/** Accepts every command and runs none. */
export const layerNoCommands = Layer.succeed(Commands)(
  Commands.of({
    canonical: ({ argv }) =>
      Effect.succeed({ _tag: "RunCommand", argv, cwd: "/", sandboxed: false, sandbox: "no: nothing runs" }),
    controlsAmong: () => Effect.succeed(new Set()),
    copies: Effect.succeed({ mechanism: "none", words: "nothing runs" }),
    run: () =>
      Effect.fail(new ToolFailure({ type: "permission_denied", message: "Permission denied: no command runs here." }))
  })
)

/**
 * What a conversation is made of. It is loaded with the layer: a program that imports the library may do no more than name
 * the service.
 */
import * as Effect from "effect/Effect"

/** The modules of all parts as one. */
export const loadParts = Effect.promise(async () => ({
  ...(await import("./AskTurn.ts")),
  ...(await import("./ChosenTools.ts")),
  ...(await import("./ShapedAnswer.ts")),
  ...(await import("../files/Workspace.ts")),
  ...(await import("../models/Prompts.ts")),
  ...(await import("../permissions/Gate.ts")),
  ...(await import("../pipeline/Briefer.ts")),
  ...(await import("../runs/RunSettings.ts")),
  ...(await import("../runs/UsageMeter.ts")),
  ...(await import("../tools/ToolRegistry.ts")),
  ...(await import("../../domain/documents/JsonAnswer.ts"))
}))

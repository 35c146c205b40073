/**
 * What a person should know before a run starts: which model works, what could not be read, rules that name no tool.
 */
import * as Effect from "effect/Effect"
import type { Setup } from "../../app/setup.ts"
import type { Configuration } from "../../domain/configuration/Configuration.ts"
import { printable } from "../../domain/text/Printable.ts"
import { readStartupWarnings } from "../../services/pipeline/StartupWarnings.ts"
import { usageFailure } from "./Failure.ts"
import { Output } from "./Output.ts"

/** Tells notes and warnings on stderr; a rule from a flag that names no tool is a wrong usage. */
export const tellWarnings = Effect.fn("tellWarnings")(function* (setup: Setup, flags: Configuration) {
  const { tell, tellPaint } = yield* Output
  const { mistake, warnings } = yield* readStartupWarnings(setup.configuration, flags)
  if (mistake !== undefined) {
    return yield* usageFailure(`--${mistake.verdict} ${mistake.rule}: ${mistake.what}`)
  }
  if (setup.usesDefaultModel) {
    yield* tell(
      `note: no model is configured, so the embedded one works, which is no language model. Choose a model of your Ollama server with --model NAME, TASK_CONDUCTOR_MODEL, or "model" in ${setup.userFile}.`
    )
  }
  for (const text of warnings) yield* tell(`${tellPaint.yellow("warning")}: ${printable(text)}`)
})

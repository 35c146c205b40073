/**
 * Checks a model server with the providers of this project and prints a table: `npm run conformance -- --host URL
 * --model NAME`. See docs/internals/conformance.md.
 */
import { parseArgs } from "node:util"
import * as Effect from "effect/Effect"
import { resolveHost } from "../src/services/providers/ollama/OllamaHost.ts"
import { resolveBaseUrl } from "../src/plugins/openai/OpenAiAddress.ts"
import { runCheck, tableOf, type Target } from "./conformance/Check.ts"
import { checks } from "./conformance/checks.ts"
import { restartWith } from "./conformance/restartCommand.ts"

const usage =
  "Usage: npm run conformance -- --host URL --model NAME [--api ollama|openai] [--thinking-model NAME] [--plain-model NAME] [--window TOKENS] [--run-window TOKENS] [--seconds N] [--restart COMMAND] [--only WORD]"

const wrong = (problem: string): never => {
  console.error(`${problem}\n${usage}`)
  return process.exit(2)
}

const readValues = () =>
  parseArgs({
    options: {
      host: { type: "string" },
      model: { type: "string" },
      api: { type: "string", default: "ollama" },
      "thinking-model": { type: "string" },
      "plain-model": { type: "string" },
      window: { type: "string", default: "4096" },
      "run-window": { type: "string" },
      seconds: { type: "string", default: "120" },
      restart: { type: "string" },
      only: { type: "string", default: "" }
    }
  }).values

const valuesOrUsage = (): ReturnType<typeof readValues> => {
  try {
    return readValues()
  } catch (cause) {
    return wrong(cause instanceof Error ? cause.message : String(cause))
  }
}

const values = valuesOrUsage()
const { api, host, model } = values
const [window, seconds] = [Number(values.window), Number(values.seconds)]

if (model === undefined) wrong("Name a model with --model.")
if (api !== "ollama" && api !== "openai") wrong(`--api is ollama or openai, not "${api}".`)
if (!(window >= 1024)) wrong("--window is a number of tokens, at least 1024.")
if (!(seconds > 0)) wrong("--seconds is a number above 0.")

const target: Target = {
  api: api === "openai" ? "openai" : "ollama",
  host: api === "openai" ? resolveBaseUrl(host) : resolveHost(host),
  model: model ?? "",
  window,
  patience: (seconds / 4) * 1000,
  ...(values["run-window"] === undefined ? {} : { runWindow: Number(values["run-window"]) }),
  ...(values.restart === undefined ? {} : { restart: restartWith(values.restart) }),
  ...(values["thinking-model"] === undefined ? {} : { thinkingModel: values["thinking-model"] }),
  ...(values["plain-model"] === undefined ? {} : { plainModel: values["plain-model"] })
}

const chosen = checks.filter(({ name }) => name.includes(values.only))
const rows = await Effect.runPromise(
  Effect.forEach(chosen, (check) =>
    Effect.tap(runCheck(check, target, seconds), (row) =>
      Effect.sync(() => console.error(`${row.outcome}: ${row.name}`))
    )
  )
)
console.log(tableOf(rows))
process.exit(rows.some(({ outcome }) => outcome === "failed") ? 1 : 0)

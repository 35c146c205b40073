/** What the checks of model servers say about a server. */
import * as Effect from "effect/Effect"
import { type Row, runCheck, type Target } from "../../scripts/conformance/Check.ts"
import { checks } from "../../scripts/conformance/checks.ts"
import { plainModel, thinkingModel, toolsModel } from "./ConformingModels.ts"

export const window = 4096

export const targetOf = (api: Target["api"], host: string): Target => ({
  api,
  host,
  model: toolsModel,
  thinkingModel,
  plainModel,
  window,
  patience: 20_000
})

export const models = [
  { name: `${toolsModel}:latest`, capabilities: ["completion", "tools"], contextLength: 131_072 },
  { name: `${thinkingModel}:latest`, capabilities: ["completion", "tools", "thinking"] },
  { name: `${plainModel}:latest`, capabilities: ["completion"] }
]

export const rowsOf = (target: Target, only: (name: string) => boolean = () => true) =>
  Effect.forEach(
    checks.filter(({ name }) => only(name)),
    (check) => runCheck(check, target, 60)
  )

export const named = (rows: ReadonlyArray<Row>, wanted: Row["outcome"]) =>
  rows.flatMap(({ detail, name, outcome }) => (outcome === wanted ? [`${name}: ${detail}`] : []))

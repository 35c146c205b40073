/**
 * Finds tools and skills that a saved run had and that are missing now. The program refuses to continue such a run,
 * because the first task that needs them would fail.
 */
import * as Effect from "effect/Effect"
import { runOf } from "../domain/history/RunEvidence.ts"
import { recordedTools } from "../domain/journal/RecordedTool.ts"
import { programOrigin } from "../domain/tools/ToolCall.ts"
import { ConfigurationError } from "../services/configuration/ConfigurationError.ts"
import { type JournalLine, readRecords } from "../services/journal/JournalLine.ts"
import { Skills } from "../services/skills/Skills.ts"
import type { McpProblem, PluginProblem } from "../services/tools/PluginProblem.ts"
import { ToolRegistry } from "../services/tools/ToolRegistry.ts"

/** The origin of a tool, without its version. */
const sourceOf = (origin: string): string => origin.replace(/(?!^)@[^/]*$/, "")

/** True if a reported problem explains why the plugin or server is missing. */
const isExplained = (source: string, problems: ReadonlyArray<PluginProblem | McpProblem>): boolean =>
  problems.some((problem) => {
    if ("plugin" in problem) return problem.isDeclared === true || problem.plugin === source
    return problem.server === undefined || source === `mcp:${problem.server}`
  })

const optionOf = (source: string): string => {
  if (source === programOrigin) return 'in "tools"'
  return source.startsWith("mcp:") ? `of the MCP server ${source.slice(4)} ("mcpServers")` : `of ${source} ("plugins")`
}

/** A saved run that is resumed or forked. */
export interface EarlierRun {
  readonly runId: string
  readonly lines: ReadonlyArray<JournalLine>
}

/** Fails with a list of what the earlier run had and this run lacks. */
export const requireParts = Effect.fnUntraced(function* ({ lines, runId }: EarlierRun) {
  const records = readRecords(lines.filter(({ event, type }) => type === "seen" || event.startsWith("plan.")))
  const { problems, tools } = yield* ToolRegistry
  const { find } = yield* Skills
  const names = new Set(tools.map(({ name }) => name))
  const sources = new Set(tools.map(({ origin }) => sourceOf(origin)))
  const missing = recordedTools(records.toReversed()).filter(({ name, origin }) => {
    const source = sourceOf(origin)
    /*
     * Of a plugin or server, any tool is enough, because it may now have other tools. A script must provide every
     * recorded tool again.
     */
    const isThere = names.has(name) || (source !== programOrigin && sources.has(source))
    return !isThere && !isExplained(source, problems)
  })
  const bySource = Map.groupBy(missing, ({ origin }) => sourceOf(origin))
  const tasks = runOf(records).plans.flatMap(({ list }) => list.tasks)
  const skills = new Set(tasks.map(({ skill }) => skill).filter((name) => find(name) === undefined))
  const parts = [
    ...[...bySource].map(([source, of]) => `${of.map(({ name }) => name).join(", ")} ${optionOf(source)}`),
    ...[...skills].map((name) => `the skill ${name} ("skills")`)
  ]
  if (parts.length === 0) return
  const what = `it was begun with what is missing now: ${parts.join("; ")}. Go on with it where these are.`
  return yield* new ConfigurationError({ source: `The run ${runId}`, problems: [{ what }] })
})

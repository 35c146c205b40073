/** Problems with plugins, MCP servers and their tools. A run continues without the part concerned. */
import * as Schema from "effect/Schema"
import type { AnsweredBy } from "../../domain/permissions/Answer.ts"
import { exactPattern } from "../../domain/permissions/TargetPattern.ts"

/** The codes of problems, as lists of plugins show them. */
const Code = Schema.Literals([
  "NotFound",
  "NotAPlugin",
  "NotTrusted",
  "Unpinnable",
  "PluginName",
  "DuplicatePlugin",
  "ApiVersion",
  "Configuration",
  "MissingSecret",
  "Skills",
  "LoadFailed",
  "ToolName",
  "DuplicateTool",
  "ToolShape"
])

/**
 * Says that a plugin, or the hooks or tools of a project, are skipped. `detail` is the end of a sentence that says why,
 * and what to do.
 */
export class PluginProblem extends Schema.TaggedError<PluginProblem>()("PluginProblem", {
  plugin: Schema.String,
  code: Code,
  detail: Schema.String,
  /** The name or path in the configuration, if it differs from the plugin's name. */
  named: Schema.optionalKey(Schema.String),
  /** True if the plugin is used in spite of the problem. */
  isUsed: Schema.optionalKey(Schema.Literal(true)),
  /** True for hooks or tools that a project declares. `plugin` says which of the two. */
  isDeclared: Schema.optionalKey(Schema.Literal(true)),
  /** True for a plugin that a script passed as a value. */
  isValue: Schema.optionalKey(Schema.Literal(true))
}) {
  override get message(): string {
    const { detail, isDeclared, isUsed, plugin } = this
    if (isUsed) return `The plugin "${plugin}" is used, but ${detail}`
    return isDeclared ? `The ${plugin} are not used: ${detail}` : `The plugin "${plugin}" is not used: ${detail}`
  }
}

const refusalText = (by: AnsweredBy, name: string, hash: string, it: "it" | "them"): string => {
  const rule = `load_plugin:${exactPattern(name)} *`
  const details = {
    rule: `a rule forbids to load ${it}.`,
    person: `you did not trust ${it}.`,
    nobody: `the project names ${it} and you have not trusted ${it} (sha256:${hash}). Start a run on a terminal to be asked, or use --allow "${rule}".`
  }
  return details[by]
}

/** The problem of a project's plugin that the user has not trusted. `hash` identifies its content. */
export const notTrusted = (plugin: string, name: string, hash: string, by: AnsweredBy) =>
  new PluginProblem({ plugin, code: "NotTrusted", detail: refusalText(by, name, hash, "it") })

/** The problem of a project's hooks or tools that the user has not trusted. */
export const declaredNotTrusted = (name: string, hash: string, by: AnsweredBy) =>
  new PluginProblem({
    plugin: name,
    code: "NotTrusted",
    detail: refusalText(by, name, hash, "them"),
    isDeclared: true
  })

/** Adds the plugin's name in the configuration to a problem. */
export const problemOfNamed = ({ code, detail, isUsed, plugin }: PluginProblem, named: string): PluginProblem =>
  new PluginProblem({ plugin, code, detail, named, ...(isUsed === true ? { isUsed } : {}) })

/** Marks a problem as one of a plugin that a script passed as a value. */
export const problemOfValue = ({ code, detail, plugin }: PluginProblem): PluginProblem =>
  new PluginProblem({ plugin, code, detail, isValue: true })

/** The problem of a value that is no plugin. `what` describes the value. */
export const noPluginValue = (what: string): PluginProblem => {
  const detail = `it is ${what} and not a plugin. Pass the value that definePlugin returns.`
  return new PluginProblem({ plugin: "without a name", code: "NotAPlugin", detail, isValue: true })
}

/** The problem of a default export that is no plugin, or an incomplete one. */
export const notAPlugin = (
  plugin: string,
  detail = "its default export is not a plugin. Export the value that definePlugin returns."
): PluginProblem => {
  return new PluginProblem({ plugin, code: "NotAPlugin", detail })
}

/**
 * Says that an MCP server, one of its tools, or an entry of the configuration is skipped, or that a used server
 * misbehaves.
 */
export class McpProblem extends Schema.TaggedError<McpProblem>()("McpProblem", {
  /** The server. Absent if the problem concerns a whole file. */
  server: Schema.optionalKey(Schema.String),
  /** The skipped tool. Present if the other tools of the server are used. */
  tool: Schema.optionalKey(Schema.String),
  /** The problem and what to do, as sentences. */
  detail: Schema.String,
  /** True if the server is used in spite of the problem. */
  isUsed: Schema.optionalKey(Schema.Literal(true))
}) {
  override get message(): string {
    if (this.server === undefined) return this.detail
    if (this.isUsed === true) return `The server "${this.server}" is used, but ${this.detail}`
    return this.tool === undefined
      ? `The server "${this.server}" is not used: ${this.detail}`
      : `The tool "${this.tool}" of the server "${this.server}" is left out: ${this.detail}`
  }
}

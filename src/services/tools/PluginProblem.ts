/**
 * Why a plugin, an MCP server or one of its tools is not used. A run continues without it and reports the problem.
 */
import * as Schema from "effect/Schema"
import { exactPattern } from "../../domain/permissions/TargetPattern.ts"

export const PluginProblemReason = Schema.Union([
  /** Nothing of this name was found; `tried` are the places. */
  Schema.TaggedStruct("NotFound", { tried: Schema.Array(Schema.String), isPackage: Schema.Boolean }),
  Schema.TaggedStruct("NotAPlugin", { detail: Schema.optionalKey(Schema.String) }),
  /** Named by the project, and the person has not trusted this content. */
  Schema.TaggedStruct("NotTrusted", {
    name: Schema.String,
    hash: Schema.String,
    by: Schema.Literals(["person", "rule", "nobody"])
  }),
  Schema.TaggedStruct("Unpinnable", { detail: Schema.String }),
  /** The name is not that of a package, or is reserved. */
  Schema.TaggedStruct("PluginName", {}),
  Schema.TaggedStruct("DuplicatePlugin", {}),
  Schema.TaggedStruct("ApiVersion", { found: Schema.Int, supported: Schema.Int }),
  /** It failed, threw or took too long while loading. */
  Schema.TaggedStruct("LoadFailed", { detail: Schema.String }),
  Schema.TaggedStruct("ToolName", { tool: Schema.String }),
  Schema.TaggedStruct("DuplicateTool", { tool: Schema.String, owner: Schema.String }),
  Schema.TaggedStruct("ToolShape", { tool: Schema.String, detail: Schema.String })
])
export type PluginProblemReason = typeof PluginProblemReason.Type

const notTrusted = ({ by, hash, name }: PluginProblemReason & { readonly _tag: "NotTrusted" }): string => {
  if (by === "rule") return "a rule forbids to load it."
  if (by === "person") return "you did not trust it."
  const rule = `load_plugin:${exactPattern(name)} *`
  return `the project names it and you have not trusted it (sha256:${hash}). Start a run on a terminal to be asked, or use --allow "${rule}".`
}

const reasonText = (plugin: string, reason: PluginProblemReason): string => {
  switch (reason._tag) {
    case "NotFound":
      return `it was not found. Looked for ${reason.tried.join(", ")}.${reason.isPackage ? ` Install it: npm install ${plugin}` : ""}`
    case "NotAPlugin":
      return `${reason.detail ?? "its default export is not a plugin. Export the value that definePlugin returns"}.`
    case "NotTrusted":
      return notTrusted(reason)
    case "Unpinnable":
      return `its content cannot be pinned, so it cannot be trusted: ${reason.detail}.`
    case "PluginName":
      return "its name is reserved, or not of the form of a package name: lower-case letters, digits and hyphens."
    case "DuplicatePlugin":
      return "another plugin has the same name. Remove one of them."
    case "ApiVersion":
      return `it needs version ${reason.found} of the plugin interface, and this program has version ${reason.supported}. Install a compatible version of it.`
    case "LoadFailed":
      return `it failed while loading: ${reason.detail}`
    case "ToolName":
      return `the name of its tool ${JSON.stringify(reason.tool)} is not lower-case ASCII words joined by underscores.`
    case "DuplicateTool":
      return `its tool "${reason.tool}" exists already (${reason.owner}). Rename it, or remove one of them.`
    case "ToolShape":
      return `its tool "${reason.tool}" is not well formed: ${reason.detail}`
  }
}

/** A plugin is left out, with all of its tools. */
export class PluginProblem extends Schema.TaggedError<PluginProblem>()("PluginProblem", {
  plugin: Schema.String,
  reason: PluginProblemReason
}) {
  override get message(): string {
    return `The plugin "${this.plugin}" is not used: ${reasonText(this.plugin, this.reason)}`
  }
}

/** An MCP server, one of its tools, or an entry of a file is left out. */
export class McpProblem extends Schema.TaggedError<McpProblem>()("McpProblem", {
  /** Absent when the problem concerns a whole file. */
  server: Schema.optionalKey(Schema.String),
  /** Present when the other tools of the server are used. */
  tool: Schema.optionalKey(Schema.String),
  /** What is wrong and what to do, as sentences. */
  detail: Schema.String
}) {
  override get message(): string {
    if (this.server === undefined) return this.detail
    return this.tool === undefined
      ? `The server "${this.server}" is not used: ${this.detail}`
      : `The tool "${this.tool}" of the server "${this.server}" is left out: ${this.detail}`
  }
}

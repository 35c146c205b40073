/**
 * Why a plugin is not used. A run goes on without it; the person is told.
 */
import * as Schema from "effect/Schema"

export const PluginProblemReason = Schema.Union([
  /** What was given is not what `definePlugin` makes. */
  Schema.TaggedStruct("PluginShape", {}),
  /** Made for another version of the plugin interface. */
  Schema.TaggedStruct("ApiVersion", { found: Schema.Int, supported: Schema.Int }),
  /** It failed, threw or took too long while loading. */
  Schema.TaggedStruct("LoadFailed", { detail: Schema.String }),
  Schema.TaggedStruct("ToolName", { tool: Schema.String }),
  /** Another plugin has a tool of this name. */
  Schema.TaggedStruct("DuplicateTool", { tool: Schema.String, owner: Schema.String }),
  /** A tool is not of the shape that the interface asks for. */
  Schema.TaggedStruct("ToolShape", { tool: Schema.String, detail: Schema.String })
])
export type PluginProblemReason = typeof PluginProblemReason.Type

const reasonText = (reason: PluginProblemReason): string => {
  switch (reason._tag) {
    case "PluginShape":
      return "it is not what definePlugin of this program makes. Export the value that definePlugin returns."
    case "ApiVersion":
      return `it is made for version ${reason.found} of the plugin interface, this program has ${reason.supported}. Install a version of it that fits.`
    case "LoadFailed":
      return `it failed while loading: ${reason.detail}`
    case "ToolName":
      return `the name of its tool ${JSON.stringify(reason.tool)} is not lower-case ASCII words joined by underscores.`
    case "DuplicateTool":
      return `its tool "${reason.tool}" exists already (${reason.owner}). Rename it or leave one of the two out.`
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
    return `The plugin "${this.plugin}" is not used: ${reasonText(this.reason)}`
  }
}

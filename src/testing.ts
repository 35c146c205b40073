/**
 * The door for tests, imported as "task-conductor/testing": a model that says what a script tells it, gates that answer
 * by themselves, and a contract test for plugins.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { issueText } from "./domain/Issue.ts"
import type { ToolCall } from "./domain/ToolCall.ts"
import builtIns from "./plugins/builtIns.ts"
import type { Plugin } from "./services/Plugin.ts"
import { ToolRegistry } from "./services/ToolRegistry.ts"
import { WebFetch } from "./services/WebFetch.ts"
import { Workspace } from "./services/Workspace.ts"

export { Approver } from "./services/Approver.ts"
export { HeldCalls, ScriptedModel } from "./services/ScriptedModel.ts"
export { Workspace } from "./services/Workspace.ts"

/** Loads the plugin beside the built-in ones, as a run does, and has every example checked as a call of a model. */
const problemsOf = Effect.fn("checkPlugin")(function* (plugin: Plugin) {
  const registry = yield* ToolRegistry
  const own = registry.tools.filter((tool) => tool.origin === plugin.name)
  const examples = yield* Effect.forEach(own, ({ example, name }) => {
    const call: ToolCall = { uid: "example", name, arguments: example }
    const issues = registry
      .check(call, new Set([name]))
      .issues.map((issue) => `the example of "${name}": ${issueText(issue)}`)
    return issues.length > 0
      ? Effect.succeed(issues)
      : registry.prepare(call).pipe(
          Effect.as<ReadonlyArray<string>>([]),
          Effect.catch((failure) => Effect.succeed([`the example of "${name}": ${failure.message}`]))
        )
  })
  return [
    ...(plugin.name.trim() === "" ? ["the plugin has no name"] : []),
    ...registry.problems.map((problem) => problem.message),
    ...(own.length === 0 && registry.problems.length === 0 ? ["the plugin has no tools"] : []),
    ...examples.flat()
  ]
})

/**
 * Finds what is wrong with a plugin; an empty list means that the host uses it. Checks the version of the interface,
 * names, descriptions, that parameters have a JSON schema, and that every example is a call that could be made. Runs no
 * tool.
 */
export const checkPlugin = (plugin: Plugin): Promise<ReadonlyArray<string>> =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const project = yield* files.makeTempDirectoryScoped({ prefix: "task-conductor-plugin-" })
    const registry = ToolRegistry.layer([...builtIns, plugin]).pipe(
      Layer.provide(Layer.merge(Workspace.layer(project), WebFetch.layer()))
    )
    return yield* problemsOf(plugin).pipe(Effect.provide(registry))
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer), Effect.runPromise)

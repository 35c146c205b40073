/**
 * A plugin as a person or a project names it in a configuration: the name of an npm package, or a path.
 */
import * as Schema from "effect/Schema"

/** Who named it: the person's own configuration, the project's, or a flag or option of this run. */
export const PluginScope = Schema.Literals(["user", "project", "given"])
export type PluginScope = typeof PluginScope.Type

export interface PluginEntry {
  readonly text: string
  readonly scope: PluginScope
  /** The absolute folder that a path starts from and above which packages are looked for. */
  readonly folder: string
}

const packageName = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/
const localPath = /^(?:\.{1,2}[\\/]|\/|[a-zA-Z]:[\\/])/
const maxNameLength = 214

/** True for what npm accepts as the name of a package, with or without a scope. */
export const isPackageName = (text: string): boolean => packageName.test(text) && text.length <= maxNameLength

/** The name of a package, or a path that shows that it is one. */
export const PluginText = Schema.String.check(
  Schema.makeFilter((text: string) =>
    isPackageName(text) || localPath.test(text)
      ? true
      : `"${text}" is not the name of a plugin. Write the name of an npm package, or a path that begins with "./".`
  )
)

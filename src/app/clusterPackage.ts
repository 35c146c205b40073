/**
 * Runs on several machines. They are a package of their own, because they bring an engine and a client of PostgreSQL: those who
 * want them install it beside the program, in the same version. The program has its commands all the same, and says what to
 * install when one of them, or `--cluster`, is used without the package.
 */
import type * as Command from "effect/cli/Command"
import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"
import { isSource, moduleUrl } from "../services/files/PackageFolder.ts"
import { definePlugin } from "../services/tools/Plugin.ts"
import { PackageUnusable } from "./PackageUnusable.ts"
import type { Feature, SharedRuns } from "./SharedRuns.ts"
import { version } from "./version.ts"

const packageName = "task-conductor-cluster"

const unusable = (what: string): PackageUnusable =>
  new PackageUnusable({
    what,
    remedy: `Install it beside task-conductor: npm install -g ${packageName}@${version}, or without -g in a project.`
  })

/** What the package exports for the program (src/plugins/cluster/index.ts). */
interface ClusterPackage {
  readonly loadCommand: (name: string) => Promise<Command.Command.Any>
  readonly loadSharedRuns: () => Promise<SharedRuns>
}

/** The version of the package that is installed where this program is, or above it; nothing without one. */
const installedVersion = (require: NodeJS.Require): string | undefined => {
  try {
    return (require(`${packageName}/package.json`) as { readonly version: string }).version
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "MODULE_NOT_FOUND") return undefined
    throw error
  }
}

/** Loads the package, with the modules of this program in the place of any other copy; sources load the sources of the package. */
const loadPackage = async (): Promise<ClusterPackage> => {
  if (isSource) return (await import(moduleUrl("plugins/cluster/index").href)) as ClusterPackage
  const require = createRequire(import.meta.url)
  const installed = installedVersion(require)
  if (installed === undefined) {
    throw unusable(`Runs on several machines need the package ${packageName}.`)
  }
  if (installed !== version) {
    throw unusable(`The package ${packageName} has version ${installed}, and this is task-conductor ${version}.`)
  }
  const { shareModules } = await import("../services/plugins/SharedState.ts")
  const url = pathToFileURL(require.resolve(`${packageName}/program`)).href
  shareModules({ url })
  return (await import(url)) as ClusterPackage
}

const commandOf = (name: string, line: string) => ({
  line,
  group: "SEVERAL MACHINES",
  load: () => loadPackage().then(({ loadCommand }) => loadCommand(name))
})

export const cluster: Feature = {
  ...definePlugin({
    name: "cluster",
    commands: {
      worker: commandOf("worker", "Work on runs that were started with --cluster"),
      attach: commandOf("attach", "Follow a run on the workers"),
      cancel: commandOf("cancel", "Cancel a run on the workers")
    }
  }),
  sharedRuns: () => loadPackage().then(({ loadSharedRuns }) => loadSharedRuns())
}

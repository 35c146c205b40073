/**
 * Loads the package for runs on several machines, which users install beside the program in the same version. It is
 * separate because it depends on pg-boss and a PostgreSQL client. Without the package, its commands only say what to
 * install.
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

/** The exports of src/plugins/cluster/index.ts that the program uses. */
interface ClusterPackage {
  readonly loadCommand: (name: string) => Promise<Command.Command.Any>
  readonly loadSharedRuns: () => Promise<SharedRuns>
}

/** The version of the package that is installed beside or above this program; undefined if none is installed. */
const installedVersion = (require: NodeJS.Require): string | undefined => {
  try {
    return (require(`${packageName}/package.json`) as { readonly version: string }).version
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "MODULE_NOT_FOUND") return undefined
    throw error
  }
}

/**
 * Loads the package of the cluster. The package uses the modules of this program, so that no module is loaded twice. If
 * this program runs from sources, the package is loaded from sources as well.
 */
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

/**
 * Temporary projects for trials, with a home folder that contains nothing of the user. Part of the composition root.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import type { ApprovalItem } from "../domain/permissions/ApprovalItem.ts"
import { decide } from "../domain/permissions/Decision.ts"
import type { Rule } from "../domain/permissions/Permission.ts"
import type { Target } from "../domain/permissions/TargetPattern.ts"
import { Approver, denyAll } from "../services/approvals/Approver.ts"
import { builtInProviders } from "./providers.ts"
import { noExtensions, type Setup } from "./setup.ts"

type TrialFiles = Readonly<Record<string, string | Uint8Array>>

/** Every trial may read and write in its temporary project. */
export const ownFiles: ReadonlyArray<Rule> = ["read_file", "write_file", "edit_file", "move_file", "remove_file"].map(
  (tool) => ({
    verdict: "allow",
    tool
  })
)

/** Writes files below an existing folder. */
export const putFiles = Effect.fnUntraced(function* (folder: string, files: TrialFiles) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name)
    yield* fs.makeDirectory(path.dirname(file), { recursive: true })
    yield* fs.writeFile(file, typeof content === "string" ? new TextEncoder().encode(content) : content)
  }
})

/** The setup of a trial in a new project with these files. It exists until the scope closes. */
export const makeTrial = Effect.fnUntraced(function* (
  purpose: string,
  files: { readonly project: TrialFiles; readonly home?: TrialFiles },
  base: Pick<Setup, "settings" | "rules"> & Partial<Setup>
) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const root = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: `task-conductor-${purpose}-` }))
  const [project, home] = [path.join(root, "project"), path.join(root, "home")]
  yield* fs.makeDirectory(project)
  yield* putFiles(project, files.project)
  yield* putFiles(home, files.home ?? {})
  const config = path.join(home, ".config")
  const [ownFolder, state] = [path.join(config, "task-conductor"), path.join(home, ".local", "state", "task-conductor")]
  const setup: Setup = {
    configuration: {},
    extensions: noExtensions,
    models: { chosenBy: "user", providers: builtInProviders, apiKey: undefined },
    ...base,
    project,
    folders: { home, config, settings: ownFolder, state, locks: path.join(state, "locks"), candidates: [], notes: [] },
    userFile: { path: path.join(ownFolder, "config.json") }
  }
  return setup
})

const targetOf = (canonical: string, root: string): Target => {
  if (!canonical.startsWith("/")) return { kind: "other", canonical }
  return canonical.startsWith(`${root}/`)
    ? { kind: "file", canonical, relative: canonical.slice(root.length + 1) }
    : { kind: "file", canonical }
}

const isAllowed = ({ call, risk, targets, tool }: ApprovalItem, rules: ReadonlyArray<Rule>, root: string) => {
  if (call === undefined) return true
  const request = { tool, risk, targets: targets.map((target) => targetOf(target, root)) }
  return decide(rules, request).verdict === "allow"
}

/**
 * Answers by these rules alone; `root` is the real path of the project. A step is approved with the calls that the
 * rules allow. A single call is denied: the gate asks only about calls that no rule allows.
 */
export const layerRuleApprover = (rules: ReadonlyArray<Rule>, root: string): Layer.Layer<Approver> =>
  Layer.succeed(Approver)(
    Approver.of({
      ...denyAll,
      step: (_, items) => {
        const chosen = items.flatMap((item, index) => (isAllowed(item, rules, root) ? [index + 1] : []))
        return Effect.succeed({ answer: { chosen }, by: "rule" })
      },
      canAsk: Effect.succeed(true)
    })
  )

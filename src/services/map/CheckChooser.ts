/**
 * Chooses the checks for changed files from the commands that the manifests of the project name, and from the tests that
 * belong to the files.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { chooseChecks, type KnownCommand } from "../../domain/map/ChooseChecks.ts"
import { commandsOf, manifestsOf } from "../../domain/map/MainFiles.ts"
import { mappedFiles } from "../../domain/map/ProjectMap.ts"
import { hasImports, importsOf, isTestFile } from "../../domain/map/TestFiles.ts"
import { type ChooseChecks, ProjectChecks } from "../checks/ProjectChecks.ts"
import { Workspace } from "../files/Workspace.ts"
import { listingTime, manifestBytes, mostMapped, readAll } from "./MapReader.ts"

/** More tests are not searched for imports, and larger ones neither. */
const mostSearched = 400
const searchedBytes = 131_072

/** What a command is good for, by its words. */
const withKind = (command: KnownCommand): KnownCommand => {
  const words = command.run.split(/[\s:_-]+/)
  const isTest = words.some((word) => /^(?:tests?|spec|pytest)$/.test(word)) && !words.includes("watch")
  const kind = words.some((word) => /^(?:typecheck|types|tsc|mypy|vet)$/.test(word)) ? "types" : undefined
  return { kind: kind ?? (isTest ? "tests" : undefined), ...command }
}

/** No checks are known of a project that cannot be listed. */
export const chooseProjectChecks: ChooseChecks = Effect.fn("chooseProjectChecks")(
  function* (changed, mayRead) {
    const workspace = yield* Workspace
    const until = (yield* Clock.currentTimeMillis) + Duration.toMillis(listingTime)
    const files = mappedFiles((yield* workspace.treeWithin({ entries: mostMapped, until })).files)
    const all = new Set(files)
    const manifests = yield* readAll(manifestsOf(files), manifestBytes, mayRead)
    const commands = manifests.flatMap(({ path, text }) => commandsOf({ path, text, files: all }).map(withKind))
    const searched = files.filter((file) => isTestFile(file) && hasImports(file)).slice(0, mostSearched)
    const tests = yield* readAll(searched, searchedBytes, mayRead)
    const imports = tests.map(({ path, text }) => ({ path, imports: importsOf(path, text) }))
    return chooseChecks({ files, commands }, changed, (file) =>
      imports.flatMap((test) => (test.imports(file) ? [test.path] : []))
    )
  },
  Effect.orElseSucceed(() => [])
)

export const layerProjectChecks = Layer.succeed(ProjectChecks, chooseProjectChecks)

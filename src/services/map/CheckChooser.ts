/**
 * Chooses the checks for changed files from the commands that the manifests of the project name, and from the tests that
 * belong to the files.
 */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { chooseChecks } from "../../domain/map/ChooseChecks.ts"
import { hasImports, importsOf, isTestFile } from "../../domain/map/TestFiles.ts"
import { type ChooseChecks, ProjectChecks } from "../checks/ProjectChecks.ts"
import type { MayRead } from "../files/ProjectMap.ts"
import { commandsHere, readAll, readManifests } from "./MapReader.ts"

/** More tests are not searched for imports, and larger ones neither. */
const mostSearched = 400
const searchedBytes = 131_072

/** The checks, with programs from the folders of `searchPath`. None are known of a project that cannot be listed. */
export const chooseProjectChecks = Effect.fn("chooseProjectChecks")(
  function* (changed: ReadonlyArray<string>, mayRead: MayRead, searchPath: string) {
    const { files, manifests } = yield* readManifests(mayRead, changed)
    const commands = yield* commandsHere(manifests, searchPath)
    const searched = files.filter((file) => isTestFile(file) && hasImports(file)).slice(0, mostSearched)
    const tests = yield* readAll(searched, searchedBytes, mayRead)
    const imports = tests.map(({ path, text }) => ({ path, imports: importsOf(path, text) }))
    return chooseChecks({ files, commands }, changed, (file) =>
      imports.flatMap((test) => (test.imports(file) ? [test.path] : []))
    )
  },
  Effect.orElseSucceed(() => [])
)

export const layerProjectChecks = (searchPath: string) =>
  Layer.effect(
    ProjectChecks,
    Effect.map(
      Effect.context<FileSystem.FileSystem>(),
      (context): ChooseChecks =>
        (changed, mayRead) =>
          Effect.provideContext(chooseProjectChecks(changed, mayRead, searchPath), context)
    )
  )

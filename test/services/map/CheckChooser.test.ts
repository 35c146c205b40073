import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { checkText } from "../../../src/domain/checks/CheckOutcome.ts"
import { chooseProjectChecks } from "../../../src/services/map/MapReader.ts"
import { CurrentCopy, makeWorkingCopy } from "../../../src/services/files/WorkingCopy.ts"
import { Workspace } from "../../../src/services/files/Workspace.ts"
import { makeProject } from "../../support/Project.ts"
import { makePrograms } from "../../support/Programs.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const files = { "go.mod": "module example.com/a\n\ngo 1.21\n", "a/a.go": "package a\n", "a/a_test.go": "package a\n" }

const chosenFor = Effect.fnUntraced(function* (changed: string, mayRead = true, proposed = false, programs = ["go"]) {
  const searchPath = yield* makePrograms(programs)
  const root = yield* makeProject(files)
  const copy = makeWorkingCopy()
  if (proposed) copy.propose({ path: `${root}/go.mod`, base: files["go.mod"], text: null })
  const checks = yield* chooseProjectChecks([changed], () => Effect.succeed(mayRead), searchPath).pipe(
    Effect.provide(Workspace.layer(root)),
    Effect.provideService(CurrentCopy, copy)
  )
  return checks.map(checkText)
})

describe("chooseProjectChecks", () => {
  nodeTest("chooses from the commands that the manifests of the project name", function* () {
    const [types, tests] = yield* chosenFor("a/a.go")
    assert.strictEqual(types, "go vet ./...")
    assert.strictEqual(tests, "go test ./a")
  })

  nodeTest("knows nothing of a manifest that rules keep from being read, or that the task removes", function* () {
    assert.deepStrictEqual(yield* chosenFor("a/a.go", false), [])
    assert.deepStrictEqual(yield* chosenFor("a/a.go", true, true), [])
  })

  nodeTest("chooses no command whose program is not there", function* () {
    assert.deepStrictEqual(yield* chosenFor("a/a.go", true, false, []), [])
  })
})

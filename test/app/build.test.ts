import { assert, it } from "@effect/vitest"
import { build } from "../../src/app/build.ts"
import { isOtherBuild } from "../../src/domain/runs/OtherBuild.ts"
import { version } from "../../src/app/version.ts"

it("tells builds of one version apart, but not sources from builds", () => {
  assert.strictEqual(build, version)
  for (const [made, own, isOther] of [
    ["0.1.0+aaaaaaaa", "0.1.0+aaaaaaaa", false],
    ["0.1.0+aaaaaaaa", "0.1.0+bbbbbbbb", true],
    ["0.1.0", "0.1.0+bbbbbbbb", false],
    ["0.1.0+aaaaaaaa", "0.1.0", false],
    ["0.0.9", "0.1.0", true],
    ["0.0.9+aaaaaaaa", "0.1.0+aaaaaaaa", true],
    ["of an unknown version", "0.1.0", true]
  ] as const) {
    assert.strictEqual(isOtherBuild(made, own), isOther, `${made} ${own}`)
  }
})

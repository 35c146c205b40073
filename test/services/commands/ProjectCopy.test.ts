import { assert, describe, it } from "@effect/vitest"
import { bubblewrapOverlay, namespaceOverlay } from "../../../src/services/commands/ProjectCopy.ts"

const places = { root: "/p", scratch: "/s", layers: ["changes", "base"] }

describe("the mounts of an overlay", () => {
  it("bubblewrap gets the lowest layer first", () => {
    assert.deepStrictEqual(bubblewrapOverlay(places), {
      before: [],
      flags: "--overlay-src /p --overlay-src /s/base --overlay-src /s/changes --overlay /s/upper /s/work /p".split(" ")
    })
  })

  it("a user namespace gets the highest layer first, and the user stays the same in bubblewrap", () => {
    const { before, flags, folder } = namespaceOverlay("/bin/unshare")(places)
    assert.deepStrictEqual(before.slice(0, 4), ["/bin/unshare", "-Urm", "/bin/sh", "-c"])
    assert.deepStrictEqual(before.slice(5), ["sh", "/s", "/p", "changes:base"])
    const [uid, gid] = [`${process.getuid?.()}`, `${process.getgid?.()}`]
    assert.deepStrictEqual(flags, ["--uid", uid, "--gid", gid, "--bind", "/p", "/p"])
    assert.strictEqual(folder, "/p")
  })
})

import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { execFileSync } from "node:child_process"
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { readBoundedFile, readGivenFile } from "../../../src/services/files/GivenFile.ts"
import { contentState } from "../../../src/services/files/Hash.ts"
import { isSystemFile } from "../../../src/services/files/CanonicalPath.ts"
import { Workspace } from "../../../src/services/files/Workspace.ts"
import { lintSkills } from "../../../src/plugins/check-tools/SkillLinter.ts"
import { makeFolder } from "../../support/Project.ts"
import { openTools } from "../../support/OpenTools.ts"
import { nodeTest } from "../../support/nodeTest.ts"

/** Files of the system, some of which never end or wait for ever, and what is no regular file. */
const ofSystem = `/proc/self/status /proc/self/mem /proc/self/environ /proc/self/maps /proc/kmsg /proc/cpuinfo
  /proc/sys/kernel/hostname /proc/1/cmdline /sys/kernel/uevent_seqnum /sys/class/net/lo/address`.split(/\s+/)
const devices = ["/dev/zero", "/dev/null", "/dev/urandom", "/dev/full", "/dev/tty"]

/** Puts what must not be read at a path; each is found under a name of its own. */
const special: ReadonlyArray<readonly [name: string, put: (path: string) => void]> = [
  ["pipe", (path) => void execFileSync("mkfifo", [path])],
  [
    "linked-pipe",
    (path) => {
      execFileSync("mkfifo", [`${path}.pipe`])
      symlinkSync(`${path}.pipe`, path)
    }
  ],
  ["device", (path) => symlinkSync("/dev/zero", path)],
  ["system", (path) => symlinkSync("/proc/self/status", path)],
  ["setting", (path) => symlinkSync("/sys/kernel/uevent_seqnum", path)]
]

const failureOf = <A, E extends { readonly message: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.result(effect), (result) => (Result.isFailure(result) ? result.failure.message : "read"))

const notRegular =
  /(?:is a (?:pipe|device|socket)|made by the system|is a folder|There is no|cannot be|may not|Permission|no such file)/

describe("files that are none", () => {
  nodeTest("are told from others below /proc and /sys, and nowhere else", function* () {
    const folder = yield* makeFolder
    writeFileSync(join(folder, "empty"), "")
    for (const path of ["/proc/self/status", "/proc/cpuinfo", "/sys/kernel/uevent_seqnum"]) {
      expect([path, yield* isSystemFile(path)]).toEqual([path, true])
    }
    for (const path of [join(folder, "empty"), folder, "/etc/hostname", join(folder, "missing")]) {
      expect([path, yield* isSystemFile(path)]).toEqual([path, false])
    }
    expect(yield* contentState("/proc/uptime")).toBe("system")
  })

  describe("are not read", () => {
    nodeTest("as text, in part, and as a file that a person names", function* () {
      const workspace = yield* Workspace.pipe(Effect.provide(Workspace.layer(yield* makeFolder)))
      for (const path of [...ofSystem, ...devices]) {
        const said = [
          yield* failureOf(workspace.readText(path, 1_048_576)),
          yield* failureOf(workspace.readText(path, 1_048_576, { from: 1, to: 3 })),
          yield* failureOf(readGivenFile(path)),
          yield* failureOf(readBoundedFile(path))
        ]
        for (const one of said) expect(one, path).toMatch(notRegular)
      }
    })

    nodeTest("when they are larger than anything that is given or set", function* () {
      const path = join(yield* makeFolder, "huge.json")
      writeFileSync(path, "{}")
      truncateSync(path, 20_000_000_000)
      expect(yield* failureOf(readGivenFile(path))).toContain("is larger than 33554432 bytes")
      expect(yield* failureOf(readBoundedFile(path))).toContain("is larger than 1048576 bytes")
    })

    nodeTest("by a search, whatever is allowed", function* () {
      const { root, run } = yield* openTools({
        files: { "a.txt": "needle\n" },
        rules: [{ verdict: "allow", tool: "read_file", pattern: "**" }]
      })
      for (const [name, put] of special) put(join(root, name))
      const server = createServer().listen(join(root, "socket"))
      yield* Effect.addFinalizer(() => Effect.sync(() => server.close()))
      const found = yield* run("search_files", { pattern: "needle|Name:|x", regex: true })
      expect(JSON.stringify(found.data)).toContain("a.txt")
      expect(JSON.stringify(found.data)).not.toMatch(/status|Name:|pipe:/)
    })

    nodeTest("as skills, and the others are found", function* () {
      const folder = yield* makeFolder
      for (const [name, put] of special) {
        mkdirSync(join(folder, name))
        put(join(folder, name, "SKILL.md"))
      }
      mkdirSync(join(folder, "good"))
      writeFileSync(join(folder, "good", "SKILL.md"), "---\nname: good\ndescription: Good.\n---\n\nDo it.\n")
      const { skills } = yield* lintSkills([folder], { project: folder, home: folder, builtIn: folder }, [])
      expect(skills.map(({ name }) => name)).toEqual(["good"])
    })
  })
})

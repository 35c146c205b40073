/**
 * What commands cannot see in the sandbox: files of the user and of this program, secrets of the project, and programs
 * that listen on Unix sockets. Each attempt is made by a real program in the real sandbox, beside a canary.
 */
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { createServer } from "node:net"
import { liveTest } from "../../support/liveTest.ts"
import { needs } from "../../support/needs.ts"
import type { OpenTools } from "../../support/OpenTools.ts"
import { makeProject, putFiles } from "../../support/Project.ts"
import { makeFar, openScripts } from "../../support/SandboxScripts.ts"

/** Runs shell scripts as commands of a project; gives their output. */
const open = Effect.fnUntraced(function* (given: OpenTools = {}) {
  const { script } = yield* openScripts(given)
  return { script: (text: string) => Effect.map(script(text), ({ output }) => output) }
})

const canary = "hidden-canary"

/** A server on a Unix socket that counts who came. */
const listen = (path: string) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly reached: () => number; readonly close: () => void }>((resume) => {
      let reached = 0
      const server = createServer((socket) => {
        reached += 1
        socket.end(canary)
      })
      server.on("error", (error) => resume(Effect.die(error)))
      server.listen(path, () => resume(Effect.succeed({ reached: () => reached, close: () => server.close() })))
    }),
    ({ close }) => Effect.sync(close)
  )

/** Tries to connect to each path and writes what comes back. */
const connecting = (paths: ReadonlyArray<string>): string =>
  `node -e '
    const { connect } = require("node:net")
    for (const path of ${JSON.stringify(paths)}) {
      const socket = connect(path)
      socket.on("data", (data) => console.log(path, String(data)))
      socket.on("error", (error) => console.log("no way:", error.code))
    }
  '`

describe("what commands cannot see", needs("bwrap"), () => {
  liveTest("files of the user, of other projects and of the system outside its programs", function* () {
    const fs = yield* FileSystem.FileSystem
    const other = yield* makeFar({ "main.ts": canary, ".env": canary, "logs/a.jsonl": canary })
    const home = yield* makeFar({ ".bash_history": canary, ".ssh/id_ed25519": canary, "work/plan.md": canary })
    const { script } = yield* open({ commands: { home } })
    const files = ["main.ts", ".env", "logs/a.jsonl"].map((file) => `${other}/${file}`)
    const own = [".bash_history", ".ssh/id_ed25519", "work/plan.md"].map((file) => `${home}/${file}`)
    const ofSystem = ["/etc/shadow", "/etc/gshadow", "/etc/ssl/private", "/etc/sudoers", "/var/lib/dpkg/status"]
    const there = yield* Effect.filter(ofSystem, (one) => fs.exists(one))
    expect(there).not.toHaveLength(0)
    const reading = [...files, ...own, ...there].map((file) => `cat ${file} 2>/dev/null; ls -A ${file}/. 2>/dev/null`)
    expect(yield* script(reading.join("\n"))).toBe("")
    expect(yield* script("ls -A /run /var /var/tmp /srv /mnt /media /boot 2>/dev/null")).toBe(
      "/run:\n\n/var:\ncache\nrun\ntmp\n\n/var/tmp:\n"
    )
  })

  liveTest("journals, wherever the folder of the runs is", function* () {
    const journal = { "state/runs/1/journal.jsonl": canary, "state/key": canary, "seen.txt": "seen" }
    const far = yield* makeFar(journal)
    const project = yield* makeProject(journal)
    const inside = [`${far}/state`, `${project}/state`]
    const reading = `cat ${inside.map((folder) => `${folder}/key ${folder}/runs/1/journal.jsonl`).join(" ")} ${far}/seen.txt seen.txt 2>/dev/null`
    for (const sandbox of [{ readable: [far] }, { writable: [far] }, { readable: [far, `${far}/state/runs`] }]) {
      const { script } = yield* open({ project, commands: { hidden: inside, sandbox } })
      expect(yield* script(`${reading}; echo x > state/key`)).toBe("seenseen")
    }
    const { script } = yield* open({ project, commands: { hidden: inside } })
    expect(yield* script(reading)).toBe("seen")
    const fs = yield* FileSystem.FileSystem
    expect(yield* fs.readFileString(`${project}/state/key`)).toBe(canary)
  })

  const names = `.env .env.local config/.env.production .envrc .npmrc packages/a/.pypirc deploy/server.key certs/tls.pem
    id_rsa deep/er/id_ed25519 credentials.json .aws/credentials .ssh/config UPPER/.ENV .git-credentials`
  const secrets = [...names.split(/\s+/), "a b/.env"]

  liveTest("files of the project that look like secrets, which can neither be changed nor moved", function* () {
    const fs = yield* FileSystem.FileSystem
    const project = yield* makeProject(Object.fromEntries(secrets.map((file) => [file, canary])))
    yield* putFiles(project, { "src/main.ts": "open", ".env.example": "open", "node_modules/a/cacert.pem": "open" })
    const { script } = yield* open({ project })
    const attempts = secrets.map(
      (file) =>
        `cat '${file}'; cp '${file}' copy; ln '${file}' copy; mv '${file}' copy; ln -s '${file}' l; cat l copy; rm -f l copy; echo x > '${file}'`
    )
    expect(yield* script(`(${attempts.join("\n")}) 2>/dev/null; grep -rs . .`)).not.toContain(canary)
    expect(yield* script("cat src/main.ts .env.example node_modules/a/cacert.pem")).toBe("openopenopen")
    for (const file of secrets) expect(yield* fs.readFileString(`${project}/${file}`), file).toBe(canary)
  })

  liveTest("a secret that was written between two commands, but one that the user names", function* () {
    const project = yield* makeProject({ "a.txt": "a" })
    const opened = yield* open({ project, commands: { sandbox: { readable: [`${project}/test.pem`] } } })
    expect(yield* opened.script("cat a.txt")).toBe("a")
    yield* putFiles(project, { "later/.env": canary, "test.pem": "named" })
    expect(yield* opened.script("cat later/.env test.pem 2>/dev/null")).toBe("named")
  })

  liveTest("programs that listen on Unix sockets, whether the socket can be seen or has no path", function* () {
    const home = yield* makeFar()
    const far = yield* makeFar()
    const given = yield* makeFar()
    const project = yield* makeProject({})
    const name = `canary-${process.pid}`
    const paths = [
      `${home}/agent.sock`,
      `${far}/db.sock`,
      `${given}/docker.sock`,
      `${project}/dev.sock`,
      `/tmp/${name}.sock`,
      `/run/${name}.sock`,
      `\0${name}`,
      `\0/containerd/${name}`
    ].filter((path) => !path.startsWith("/run/") || process.getuid?.() === 0)
    const servers = yield* Effect.forEach(paths, listen)
    const refused = paths.map(() => "no way: EAFNOSUPPORT\n").join("")
    for (const network of [false, true]) {
      const { script } = yield* open({ project, commands: { home, sandbox: { writable: [given], network } } })
      expect(yield* script(connecting(paths))).toBe(refused)
    }
    expect(servers.map(({ reached }) => reached())).toStrictEqual(paths.map(() => 0))
  })

  liveTest("other programs, even when the user allows Unix sockets for the command's own servers", function* () {
    const far = yield* makeFar()
    const project = yield* makeProject({})
    const name = `canary-own-${process.pid}`
    const foreign = [`${far}/db.sock`, `/tmp/${name}.sock`, `\0${name}`]
    const servers = yield* Effect.forEach(foreign, listen)
    const { script } = yield* open({ project, commands: { sandbox: { unixSockets: true } } })
    const own = `node -e '
        const { connect, createServer } = require("node:net")
        const server = createServer((socket) => socket.end("own")).listen("own.sock", () =>
          connect("own.sock").on("data", (data) => { console.log(String(data)); server.close() }))
      '`
    expect(yield* script(own)).toBe("own\n")
    expect(yield* script(connecting(foreign))).not.toContain(canary)
    expect(servers.map(({ reached }) => reached())).toStrictEqual([0, 0, 0])
  })
})

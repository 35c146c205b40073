import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type * as Scope from "effect/Scope"
import { fileURLToPath } from "node:url"
import type { SandboxSettings } from "../../../src/domain/commands/CommandSettings.ts"
import { liveTest } from "../../support/liveTest.ts"
import { needs } from "../../support/needs.ts"
import { openTools, type OpenTools } from "../../support/OpenTools.ts"
import { makeProject, putFiles } from "../../support/Project.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"
import { serve } from "../../support/WebServer.ts"

const path = process.env["PATH"] ?? ""

/** Runs shell scripts as commands of a project; gives exit code and output. */
const open = Effect.fnUntraced(function* (given: OpenTools = {}) {
  const opened = yield* openTools(given)
  const script = (text: string) =>
    Effect.map(opened.run("run_command", { argv: ["sh", "-c", text] }), ({ data, error_message }) =>
      data === null ? error_message : data
    )
  return { ...opened, script }
})

/** A folder with files that is not below /tmp, which the sandbox empties anyway. */
const makeFar = Effect.fnUntraced(function* (files: Readonly<Record<string, string>>) {
  const fs = yield* FileSystem.FileSystem
  const directory = fileURLToPath(new URL("../../../node_modules", import.meta.url))
  const folder = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ directory, prefix: ".sandbox-test-" }))
  yield* putFiles(folder, files)
  return folder
})

/** Ways to leave a configuration where another run would obey it. */
const attackOn = (home: string) =>
  [
    `mkdir -p ${home}/.config/task-conductor && echo evil > ${home}/.config/task-conductor/config.json`,
    `mv ${home}/.config ${home}/.c; mkdir -p ${home}/.config/task-conductor; echo evil > ${home}/.config/task-conductor/config.json`,
    `mkdir -p ${home}/.local/state/task-conductor; echo evil > ${home}/.local/state/task-conductor/a`,
    `ln -sT ${home}/project ${home}/.local`,
    `echo fine > ${home}/project/b.txt`
  ].join("\n")

const settings = (sandbox: SandboxSettings, environment = { PATH: path }): OpenTools => ({
  commands: { sandbox, environment }
})

const repository = {
  ".git/HEAD": "ref: refs/heads/main\n",
  ".git/config": "[core]\n",
  ".git/hooks/pre-commit": "#!/bin/sh\n",
  ".mcp.json": "{}",
  "task-conductor.json": "{}",
  ".task-conductor/skills/a/SKILL.md": "a"
}

describe("the sandbox of commands", needs("bwrap"), () => {
  liveTest("lets a command write in the project and nowhere else", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const outside = yield* makeFar({ "a.txt": "old" })
      const canary = `canary-${process.pid}`
      const { root, script } = yield* open()
      const text = `echo new > ${outside}/a.txt; touch /etc/${canary} /usr/${canary} ~/${canary}; echo in > in.txt; echo t > /tmp/${canary} && cat /tmp/${canary}`
      const { exit_code } = (yield* script(text)) as { exit_code: number }
      assert.strictEqual(exit_code, 0)
      assert.strictEqual(yield* fs.readFileString(`${outside}/a.txt`), "old")
      assert.strictEqual(yield* fs.readFileString(`${root}/in.txt`), "in\n")
      for (const folder of ["/etc", "/usr", "/tmp"]) assert.isFalse(yield* fs.exists(`${folder}/${canary}`), folder)
    })
  )

  liveTest("keeps hooks, configuration and control files of the project as they are", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { root, script } = yield* open({ files: repository })
      const attempts = [
        ...Object.keys(repository)
          .filter((file) => file !== ".git/HEAD")
          .map((file) => `echo evil > ${file}`),
        "echo evil > .git/hooks/post-checkout",
        "mv .git .git-old",
        "mv .git/hooks .git/old",
        "rm -rf .git/hooks",
        "ln -sf /tmp/x .git/config",
        "mv .task-conductor t",
        "mount -o remount,rw,bind .git/hooks"
      ]
      const failed = attempts.map((attempt) => `(${attempt}) 2>/dev/null && echo "ran: ${attempt.replaceAll('"', "")}"`)
      assert.deepStrictEqual(yield* script(`${failed.join("\n")}\ntrue`), { exit_code: 0, output: "" })
      for (const [file, text] of Object.entries(repository)) {
        assert.strictEqual(yield* fs.readFileString(`${root}/${file}`), text, file)
      }
      assert.deepStrictEqual(yield* fs.readDirectory(`${root}/.git/hooks`), ["pre-commit"])
    })
  )

  liveTest("lets no hook come to a repository that has none", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { root, script } = yield* open({ files: { ".git/HEAD": "ref: refs/heads/main\n" } })
      yield* script("mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit")
      assert.isFalse(yield* fs.exists(`${root}/.git/hooks/pre-commit`))
    })
  )

  liveTest("hides the home folder, its keys, and the folder of this program", () =>
    Effect.gen(function* () {
      const home = yield* makeFar({
        ".ssh/id_rsa": "home-canary",
        ".config/task-conductor/policies.json": "home-canary"
      })
      const elsewhere = yield* makeFar({ "policies.json": "home-canary" })
      const fs = yield* FileSystem.FileSystem
      const { script } = yield* open({ commands: { home, hidden: [elsewhere] } })
      const { output } = (yield* script(
        `cat ${home}/.ssh/id_rsa ${home}/.config/task-conductor/policies.json ${elsewhere}/policies.json; echo evil > ${home}/.config/task-conductor/policies.json`
      )) as { output: string }
      assert.notInclude(output, "home-canary")
      assert.strictEqual(yield* fs.readFileString(`${home}/.config/task-conductor/policies.json`), "home-canary")
    })
  )

  liveTest("hides keys and the folder of this program even when the project holds the home folder", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const home = yield* makeFar({
        ".ssh/id_rsa": "home-canary",
        "own/policies.json": "home-canary",
        "a.txt": "seen"
      })
      const { root, script } = yield* open({
        commands: { home, hidden: [`${home}/own`], sandbox: { writable: [home] } }
      })
      const text = `cat ${home}/a.txt ${home}/.ssh/id_rsa ${home}/own/policies.json 2>/dev/null; echo evil > ${home}/own/policies.json; pwd`
      assert.deepStrictEqual(yield* script(text), { exit_code: 0, output: `seen${root}\n` })
      assert.strictEqual(yield* fs.readFileString(`${home}/own/policies.json`), "home-canary")
    })
  )

  liveTest("lets a command make or move no folder of this program, in a home folder that it may write", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const states: ReadonlyArray<Readonly<Record<string, string>>> = [
        { "project/a.txt": "" },
        { "project/a.txt": "", ".config/other/a": "" },
        { "project/a.txt": "", ".config/task-conductor/policies.json": "{}", ".local/share/a": "" }
      ]
      for (const files of states)
        for (const isHome of [true, false]) {
          const home = yield* makeFar(files)
          const { script } = yield* open({
            project: isHome ? home : `${home}/project`,
            commands: {
              home,
              hidden: [`${home}/.config/task-conductor`, `${home}/.local/state/task-conductor`],
              sandbox: { writable: isHome ? [] : [home] }
            }
          })
          const before = (yield* fs.readDirectory(home, { recursive: true })).toSorted()
          yield* script(attackOn(home))
          const after = yield* fs.readDirectory(home, { recursive: true })
          assert.deepStrictEqual(after.toSorted(), [...before, "project/b.txt"].toSorted(), JSON.stringify(files))
        }
    })
  )

  liveTest("lets nobody change settings of the kernel, not even root", () =>
    Effect.gen(function* () {
      const { script } = yield* open()
      const writable =
        "find /proc -maxdepth 4 -path '/proc/[0-9]*' -prune -o -path /proc/self -prune -o -path /proc/thread-self -prune -o -path /proc/pressure -prune -o -type f -writable -print 2>/dev/null"
      assert.deepStrictEqual(yield* script(`${writable}; true`), { exit_code: 0, output: "" })
    })
  )

  liveTest("shows the programs that a person keeps at home, and the folders that the user names", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const home = yield* makeFar({
        "node/bin/hello": '#!/bin/sh\ncat "$(dirname "$0")/../lib/text"\n',
        "node/lib/text": "hello from home\n",
        "tools/version": "1\n",
        "cache/a": "old\n"
      })
      yield* fs.chmod(`${home}/node/bin/hello`, 0o755)
      const sandbox = { readable: ["~/tools"], writable: ["~/cache"] }
      const environment = { PATH: `${home}/node/bin:${path}` }
      const { script } = yield* open({ commands: { home, sandbox, environment } })
      const text = `hello; cat ${home}/tools/version; echo new > ${home}/cache/a; (echo x > ${home}/tools/version) 2>/dev/null || echo kept`
      assert.deepStrictEqual(yield* script(text), { exit_code: 0, output: "hello from home\n1\nkept\n" })
      assert.strictEqual(yield* fs.readFileString(`${home}/cache/a`), "new\n")
    })
  )

  liveTest("keeps commands off the network, this machine included, unless the user says otherwise", () =>
    Effect.gen(function* () {
      let reached = 0
      const port = yield* serve((_request, response) => {
        reached += 1
        response.end("answer")
      })
      const fetching = `node -e 'fetch("http://127.0.0.1:${port}/").then((r) => r.text()).then(console.log, () => console.log("no way"))'`
      const { script } = yield* open()
      assert.deepStrictEqual([yield* script(fetching), reached], [{ exit_code: 0, output: "no way\n" }, 0])
      const connected = yield* open(settings({ network: true }))
      assert.deepStrictEqual([yield* connected.script(fetching), reached], [{ exit_code: 0, output: "answer\n" }, 1])
    })
  )

  liveTest("takes every privilege away", () =>
    Effect.gen(function* () {
      const { script } = yield* open()
      const text =
        "grep -E '^Cap(Eff|Prm|Bnd)' /proc/self/status | tr -d '0\\n\\t'; unshare -U true 2>/dev/null || echo no; ls /run"
      assert.deepStrictEqual(yield* script(text), { exit_code: 0, output: "CapPrm:CapEff:CapBnd:no\n" })
    })
  )

  liveTest("is never the program of that name that a project brings along", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const project = yield* makeProject({ "bin/bwrap": "#!/bin/sh\ntouch /tmp/never\nexit 0\n" })
      yield* fs.chmod(`${project}/bin/bwrap`, 0o755)
      const { script } = yield* open({ project, commands: { environment: { PATH: `${project}/bin:${path}` } } })
      const { output } = (yield* script("echo $$; cat /proc/1/cmdline")) as { output: string }
      assert.notInclude(output, `${project}/bin/bwrap`)
      assert.include(output, "--json-status-fd")
    })
  )
})

/** A folder with the few programs of a machine without bubblewrap. */
const plainPrograms: Effect.Effect<string, never, FileSystem.FileSystem | Scope.Scope> = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped()
  yield* fs.symlink("/bin/sh", `${folder}/sh`)
  return folder
}).pipe(Effect.orDie)

describe("a machine without the sandbox of commands", () => {
  liveTest("is not there without bubblewrap, which is said once and in every question", () =>
    Effect.gen(function* () {
      const approver = scriptedApprover({ calls: ["once", "once"] })
      const given = settings({}, { PATH: yield* plainPrograms })
      const { log, script } = yield* open({ ...given, approver: approver.layer })
      assert.deepStrictEqual(yield* script("echo 1"), { exit_code: 0, output: "1\n" })
      assert.deepStrictEqual(yield* script("echo 2"), { exit_code: 0, output: "2\n" })
      const words = "Sandbox: no: bubblewrap is not installed"
      assert.deepStrictEqual(
        approver.asked.flat().map(({ details = [] }) => details.at(-1)),
        [words, words]
      )
      assert.deepStrictEqual(
        log.events().filter((event) => event.type === "message"),
        [{ type: "message", level: "warning", text: "Commands run without a sandbox: bubblewrap is not installed." }]
      )
    })
  )

  liveTest("is refused to be missing when the user requires it", () =>
    Effect.gen(function* () {
      const given = settings({ mode: "required" }, { PATH: yield* plainPrograms })
      const { answers, script } = yield* open(given)
      assert.strictEqual(
        yield* script("echo 1"),
        'Permission denied: run_command on sh -c "echo 1" needs the sandbox that your configuration requires, and bubblewrap is not installed. Install it, or set "sandbox": { "mode": "auto" } in your user configuration.'
      )
      assert.lengthOf(yield* answers.denials, 1)
    })
  )

  liveTest("is left out in silence when the user switches it off", () =>
    Effect.gen(function* () {
      const approver = scriptedApprover({ calls: ["once"] })
      const { log, script } = yield* open({ ...settings({ mode: "off" }), approver: approver.layer })
      yield* script("echo 1")
      assert.strictEqual(
        approver.asked[0]?.[0]?.details?.at(-1),
        "Sandbox: no: it is switched off in your configuration"
      )
      assert.deepStrictEqual(
        log.events().filter((event) => event.type === "message"),
        []
      )
    })
  )

  liveTest("says why when bubblewrap is there and does not work", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* plainPrograms
      yield* fs.writeFileString(
        `${folder}/bwrap`,
        "#!/bin/sh\necho 'bwrap: No permissions to create a new namespace'\nexit 1\n"
      )
      yield* fs.chmod(`${folder}/bwrap`, 0o755)
      const { log, script } = yield* open(settings({}, { PATH: folder }))
      assert.deepStrictEqual(yield* script("echo 1"), { exit_code: 0, output: "1\n" })
      const why = "The sandbox could not be started: bwrap: No permissions to create a new namespace"
      assert.deepInclude(
        log.events().filter((event) => event.type === "message"),
        {
          type: "message",
          level: "warning",
          text: `Commands run without a sandbox: bubblewrap does not work here (${why}).`
        }
      )
    })
  )
})

describe("a system that takes no filter of system calls", needs("bwrap"), () => {
  liveTest("has the sandbox without it, and every question says so", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* makeFar({
        bwrap: `#!/bin/sh\ncase "$*" in *--seccomp*) echo "bwrap: prctl" >&2; exit 1;; esac\nPATH=${path}\nexec bwrap "$@"\n`
      })
      yield* fs.chmod(`${folder}/bwrap`, 0o755)
      const approver = scriptedApprover({ calls: ["once"] })
      const given = settings({}, { PATH: `${folder}:${path}` })
      const { script } = yield* open({ ...given, approver: approver.layer })
      assert.deepStrictEqual(yield* script("ls -A /run"), { exit_code: 0, output: "" })
      assert.match(approver.asked[0]?.[0]?.details?.at(-1) ?? "", /^Sandbox: yes: .*, Unix sockets are not blocked$/)
    })
  )
})

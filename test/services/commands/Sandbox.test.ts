import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type { SandboxSettings } from "../../../src/domain/commands/CommandSettings.ts"
import { liveTest } from "../../support/liveTest.ts"
import { needs } from "../../support/needs.ts"
import type { OpenTools } from "../../support/OpenTools.ts"
import { makeProject } from "../../support/Project.ts"
import { makeFar, openScripts as open } from "../../support/SandboxScripts.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"
import { serve } from "../../support/WebServer.ts"

const path = process.env["PATH"] ?? ""

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
  liveTest("lets a command write in the project and nowhere else", function* () {
    const fs = yield* FileSystem.FileSystem
    const outside = yield* makeFar({ "a.txt": "old" })
    const canary = `canary-${process.pid}`
    const { root, script } = yield* open()
    const text = `echo new > ${outside}/a.txt; touch /etc/${canary} /usr/${canary} ~/${canary}; echo in > in.txt; echo t > /tmp/${canary} && cat /tmp/${canary}`
    const { exit_code } = yield* script(text)
    expect(exit_code).toBe(0)
    expect(yield* fs.readFileString(`${outside}/a.txt`)).toBe("old")
    expect(yield* fs.readFileString(`${root}/in.txt`)).toBe("in\n")
    for (const folder of ["/etc", "/usr", "/tmp"]) expect(yield* fs.exists(`${folder}/${canary}`), folder).toBe(false)
  })

  liveTest("keeps hooks, configuration and control files of the project as they are", function* () {
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
    expect(yield* script(`${failed.join("\n")}\ntrue`)).toStrictEqual({ exit_code: 0, output: "" })
    for (const [file, text] of Object.entries(repository)) {
      expect(yield* fs.readFileString(`${root}/${file}`), file).toBe(text)
    }
    expect(yield* fs.readDirectory(`${root}/.git/hooks`)).toStrictEqual(["pre-commit"])
  })

  liveTest("hides keys and the folder of this program even when the project holds the home folder", function* () {
    const fs = yield* FileSystem.FileSystem
    const home = yield* makeFar({ ".ssh/id_rsa": "home-canary", "own/policies.json": "home-canary", "a.txt": "seen" })
    const { root, script } = yield* open({ commands: { home, hidden: [`${home}/own`], sandbox: { writable: [home] } } })
    const text = `cat ${home}/a.txt ${home}/.ssh/id_rsa ${home}/own/policies.json 2>/dev/null; echo evil > ${home}/own/policies.json; pwd`
    expect(yield* script(text)).toStrictEqual({ exit_code: 0, output: `seen${root}\n` })
    expect(yield* fs.readFileString(`${home}/own/policies.json`)).toBe("home-canary")
  })

  liveTest("lets a command make or move no folder of this program, in a home folder that it may write", function* () {
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
        expect(after.toSorted(), JSON.stringify(files)).toStrictEqual([...before, "project/b.txt"].toSorted())
      }
  })

  liveTest("lets nobody change settings of the kernel, not even root", function* () {
    const { script } = yield* open()
    const writable =
      "find /proc -maxdepth 4 -path '/proc/[0-9]*' -prune -o -path /proc/self -prune -o -path /proc/thread-self -prune -o -path /proc/pressure -prune -o -type f -writable -print 2>/dev/null"
    expect(yield* script(`${writable}; true`)).toStrictEqual({ exit_code: 0, output: "" })
  })

  liveTest("shows the programs that a person keeps at home, and the folders that the user names", function* () {
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
    expect(yield* script(text)).toStrictEqual({ exit_code: 0, output: "hello from home\n1\nkept\n" })
    expect(yield* fs.readFileString(`${home}/cache/a`)).toBe("new\n")
  })

  liveTest("keeps commands off the network, this machine included, unless the user says otherwise", function* () {
    let reached = 0
    const port = yield* serve((_request, response) => {
      reached += 1
      response.end("answer")
    })
    const fetching = `node -e 'fetch("http://127.0.0.1:${port}/").then((r) => r.text()).then(console.log, () => console.log("no way"))'`
    const { script } = yield* open()
    expect([yield* script(fetching), reached]).toStrictEqual([{ exit_code: 0, output: "no way\n" }, 0])
    const connected = yield* open(settings({ network: true }))
    expect([yield* connected.script(fetching), reached]).toStrictEqual([{ exit_code: 0, output: "answer\n" }, 1])
  })

  liveTest("takes every privilege away", function* () {
    const { script } = yield* open()
    const text =
      "grep -E '^Cap(Eff|Prm|Bnd)' /proc/self/status | tr -d '0\\n\\t'; unshare -U true 2>/dev/null || echo no; ls /run"
    expect(yield* script(text)).toStrictEqual({ exit_code: 0, output: "CapPrm:CapEff:CapBnd:no\n" })
  })

  liveTest("is never the program of that name that a project brings along", function* () {
    const fs = yield* FileSystem.FileSystem
    const project = yield* makeProject({ "bin/bwrap": "#!/bin/sh\ntouch /tmp/never\nexit 0\n" })
    yield* fs.chmod(`${project}/bin/bwrap`, 0o755)
    const { script } = yield* open({ project, commands: { environment: { PATH: `${project}/bin:${path}` } } })
    const { output } = yield* script("echo $$; cat /proc/1/cmdline")
    expect(output).not.toContain(`${project}/bin/bwrap`)
    expect(output).toContain("--json-status-fd")
  })
})

/** A machine without bubblewrap, or with this program in its place; a question about each of two commands. */
const openWithout = Effect.fnUntraced(function* (sandbox: SandboxSettings, bwrap?: string) {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped()
  yield* fs.symlink("/bin/sh", `${folder}/sh`)
  if (bwrap !== undefined) yield* fs.writeFileString(`${folder}/bwrap`, `#!/bin/sh\n${bwrap}\n`, { mode: 0o755 })
  const approver = scriptedApprover({ calls: ["once", "once"] })
  const opened = yield* open({ ...settings(sandbox, { PATH: folder }), approver: approver.layer })
  const questions = () => approver.asked.flat().map(({ details = [] }) => details.at(-1))
  return { ...opened, questions }
})

describe("a machine without the sandbox of commands", () => {
  const without: ReadonlyArray<
    readonly [what: string, given: Parameters<typeof openWithout>, why: string, said: boolean]
  > = [
    ["bubblewrap is not installed", [{}], "bubblewrap is not installed", true],
    ["it is switched off", [{ mode: "off" }], "it is switched off in your configuration", false],
    [
      "bubblewrap does not work",
      [{}, "echo 'bwrap: No permissions'\nexit 1"],
      "bubblewrap does not work here (The sandbox could not be started: bwrap: No permissions)",
      true
    ]
  ]
  for (const [what, given, why, isSaid] of without) {
    liveTest(`says so in every question, ${isSaid ? "and once" : "and else nothing"}: ${what}`, function* () {
      const { messages, questions, script } = yield* openWithout(...given)
      for (const word of ["1", "2"]) {
        expect(yield* script(`echo ${word}`)).toStrictEqual({ exit_code: 0, output: `${word}\n` })
      }
      expect(questions()).toStrictEqual([`Sandbox: no: ${why}`, `Sandbox: no: ${why}`])
      expect(messages()).toStrictEqual(isSaid ? [`Commands run without a sandbox: ${why}.`] : [])
    })
  }

  liveTest("runs nothing when the user requires it", function* () {
    const { answers, script } = yield* openWithout({ mode: "required" })
    expect((yield* script("echo 1")).output).toBe(
      'Permission denied: run_command on sh -c "echo 1" needs the sandbox that your configuration requires, and bubblewrap is not installed. Install it, or set "sandbox": { "mode": "auto" } in your user configuration.'
    )
    expect(yield* answers.denials).toHaveLength(1)
  })
})

describe("a system that takes no filter of system calls", needs("bwrap"), () => {
  liveTest("has the sandbox without it, and every question says so", function* () {
    const fs = yield* FileSystem.FileSystem
    const folder = yield* makeFar({
      bwrap: `#!/bin/sh\ncase "$*" in *--seccomp*) echo "bwrap: prctl" >&2; exit 1;; esac\nPATH=${path}\nexec bwrap "$@"\n`
    })
    yield* fs.chmod(`${folder}/bwrap`, 0o755)
    const approver = scriptedApprover({ calls: ["once"] })
    const given = settings({}, { PATH: `${folder}:${path}` })
    const { script } = yield* open({ ...given, approver: approver.layer })
    expect(yield* script("ls -A /run")).toStrictEqual({ exit_code: 0, output: "" })
    expect(approver.asked[0]?.[0]?.details?.at(-1) ?? "").toMatch(/^Sandbox: yes: .*, Unix sockets are not blocked$/)
  })
})

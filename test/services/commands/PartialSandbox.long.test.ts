/**
 * The weaker sandboxes. Landlock is the kernel's; where `setpriv` is older than util-linux 2.41, a program with the same options
 * applies it. `sandbox-exec` was never tried: its profile is compared as text.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { spawn } from "node:child_process"
import type { SandboxSettings } from "../../../src/domain/commands/CommandSettings.ts"
import { landlockWords, partialWords, seatbeltProfile } from "../../../src/services/commands/PartialSandbox.ts"
import { putLandlockPrograms } from "../../support/landlockPrograms.ts"
import { liveTest } from "../../support/liveTest.ts"
import { needs } from "../../support/needs.ts"
import { makeFar, openScripts } from "../../support/SandboxScripts.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"
import { serve } from "../../support/WebServer.ts"

/** Runs shell scripts as commands of a person whose home folder holds files. */
const open = Effect.fnUntraced(function* (sandbox: SandboxSettings = {}) {
  const fs = yield* FileSystem.FileSystem
  const home = yield* makeFar({
    ".ssh/id_rsa": "private",
    "notes.txt": "private",
    ".config/task-conductor/config.json": "{}",
    ".cargo/bin/tool": "of the toolchain\n",
    ".cargo/credentials.toml": "private",
    "cache/a": ""
  })
  const programs = yield* fs.makeTempDirectoryScoped()
  putLandlockPrograms(programs)
  const approver = scriptedApprover({ calls: Array.from({ length: 40 }, () => "once" as const) })
  const opened = yield* openScripts({
    files: { "a.txt": "of the project\n", "sub/b.txt": "b" },
    approver: approver.layer,
    commands: {
      home,
      sandbox,
      hidden: [`${home}/.config/task-conductor`],
      caches: `${home}/cache`,
      environment: { PATH: programs, HOME: home }
    }
  })
  return { ...opened, approver, fs, home, script: (text: string) => opened.script(`PATH=/usr/bin:/bin\n${text}`) }
})

describe("commands without bubblewrap, where Landlock is", needs("landlock", "python3"), () => {
  liveTest("are told apart from sandboxed ones, in the question and at once", function* () {
    const { approver, log, script } = yield* open()
    assert.deepStrictEqual(yield* script("cat a.txt"), { exit_code: 0, output: "of the project\n" })
    const words = approver.asked[0]?.[0]?.details?.at(-1) ?? ""
    assert.match(
      words,
      /^Sandbox: partly: Landlock, since bubblewrap is not installed: no network, not even of its own,/
    )
    assert.match(
      words,
      /It can end your other programs and change the modes of your files, and does not protect repositories and secret files of the project$/
    )
    assert.deepStrictEqual(
      log.events().flatMap((event) => (event.type === "message" ? [event.text] : [])),
      ["Commands run in a weaker sandbox (Landlock): bubblewrap is not installed."]
    )
  })

  liveTest("change nothing but the project, its cache and a home folder of their own", function* () {
    const { fs, home, root, script } = yield* open()
    const canary = `canary-${process.pid}`
    const places = [`${home}/notes.txt`, `${home}/${canary}`, `/tmp/${canary}`, `/dev/shm/${canary}`, `/etc/${canary}`]
    const attacks = [
      ...places.map((place) => `echo evil > ${place}`),
      `truncate -s 0 ${home}/notes.txt`,
      `mkdir -p ${home}/.config/task-conductor; echo evil > ${home}/.config/task-conductor/config.json`,
      `mv ${home}/.config ${home}/other`,
      `rm -rf ${home}/.ssh`,
      `ln ${home}/notes.txt linked && echo evil > linked`,
      `ln -s ${home}/notes.txt soft; echo evil > soft`,
      `mknod disk b 1 1`,
      "echo 1 > /proc/sys/vm/drop_caches"
    ]
    const { exit_code, output } = yield* script(
      attacks.map((one) => `(${one}) 2>/dev/null && echo "ran: ${one}"`).join("\n")
    )
    assert.deepStrictEqual([exit_code === 0, output], [false, ""])
    for (const place of places.slice(1)) assert.isFalse(yield* fs.exists(place), place)
    assert.strictEqual(yield* fs.readFileString(`${home}/notes.txt`), "private")
    assert.strictEqual(yield* fs.readFileString(`${home}/.config/task-conductor/config.json`), "{}")
    const fine = `echo in > in.txt && mv in.txt sub/c.txt && rm sub/b.txt && echo x > ~/own && echo x > $TMPDIR/t && mkdir -p $XDG_CACHE_HOME/k && echo x > /dev/null && echo fine`
    assert.deepStrictEqual(yield* script(fine), { exit_code: 0, output: "fine\n" })
    assert.strictEqual(yield* fs.readFileString(`${root}/sub/c.txt`), "in\n")
    assert.deepStrictEqual(yield* script("cat ~/own 2>/dev/null || echo new home"), {
      exit_code: 0,
      output: "new home\n"
    })
  })

  liveTest("read no file of the user, no key, and nothing of other processes", function* () {
    const { home, script } = yield* open()
    const secret = `canary-${process.pid}`
    const other = yield* Effect.acquireRelease(
      Effect.sync(() => spawn("sleep", ["60"], { env: { SECRET: secret }, stdio: "ignore" })),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )
    const reads = `cat ${home}/notes.txt ${home}/.ssh/id_rsa ${home}/.cargo/credentials.toml ${home}/.config/task-conductor/config.json /etc/shadow /proc/${other.pid}/environ; ls ${home}`
    const { exit_code, output } = yield* script(`(${reads}) 2>/dev/null; cat ~/.cargo/bin/tool`)
    assert.deepStrictEqual({ exit_code, output }, { exit_code: 0, output: "of the toolchain\n" })
    const { output: rights } = yield* script("cat /proc/self/status")
    assert.match(rights, /^CapEff:\t0+$/m)
    assert.match(rights, /^NoNewPrivs:\t1$/m)
  })

  liveTest("make no connection and no Unix socket, and say what can be done", function* () {
    let asked = 0
    const port = yield* serve((_, response) => void ((asked += 1), response.end()))
    const { command } = yield* open()
    for (const where of [`${port}, "127.0.0.1"`, '"/run/systemd/private"']) {
      const connecting = `require("node:net").connect(${where}).on("connect", () => process.exit(0)).on("error", (e) => { console.log(e.code); process.exit(1) })`
      const { exit_code, output, sandbox = "" } = yield* command("node", "-e", connecting)
      assert.deepStrictEqual({ exit_code, output }, { exit_code: 1, output: "EAFNOSUPPORT\n" })
      assert.include(sandbox, "The weaker sandbox is the likely cause")
    }
    assert.strictEqual(asked, 0)
    const listed = yield* open({ network: [`127.0.0.1:${port}`] })
    yield* listed.command("node", "-e", `fetch("http://127.0.0.1:${port}")`)
    assert.include(listed.approver.asked[0]?.[0]?.details?.at(-1), "the list of hosts in sandbox.network does not hold")
    assert.strictEqual(asked, 0)
  })

  liveTest("use the network when the user allows it, and are not run when the sandbox is required", function* () {
    const port = yield* serve((_, response) => void response.end("answer"))
    const { approver, command } = yield* open({ network: true })
    const asking = `fetch("http://127.0.0.1:${port}").then((r) => r.text()).then((t) => console.log(t))`
    assert.deepStrictEqual(yield* command("node", "-e", asking), { exit_code: 0, output: "answer\n" })
    assert.include(approver.asked[0]?.[0]?.details?.at(-1), "with the network")
    const required = yield* open({ mode: "required" })
    const { error_message } = yield* required.run("run_command", { argv: ["sh", "-c", "true"] })
    assert.include(error_message, "needs the sandbox that your configuration requires")
  })
})

describe("the words of the weaker sandboxes", () => {
  const reach = {
    home: "/Users/you",
    kept: ["/Users/you/.ssh", "/Users/you/work/.env"],
    fixed: ["/Users/you/work/.git"],
    listed: ["/etc"],
    readable: [
      { path: "/usr", isFolder: true },
      { path: "/etc/hosts", isFolder: false }
    ],
    writable: [
      { path: '/Users/you/work "a"', isFolder: true },
      { path: "/dev/null", isFolder: false }
    ]
  }

  it("give setpriv one rule for each place, and no right of a folder to a file", () => {
    const words = landlockWords("/usr/bin/setpriv", reach, { filter: "/tmp/x/filter", isRoot: false })
    const change = "remove-dir,remove-file,make-dir,make-reg,make-sock,make-fifo,make-sym,refer"
    assert.deepStrictEqual(words, [
      "/usr/bin/setpriv",
      "--no-new-privs",
      "--seccomp-filter",
      "/tmp/x/filter",
      "--landlock-access",
      `fs:read-dir,execute,read-file,write-file,truncate,${change},make-char,make-block`,
      "--landlock-rule",
      "path-beneath:read-dir:/etc",
      "--landlock-rule",
      "path-beneath:read-dir,execute,read-file:/usr",
      "--landlock-rule",
      "path-beneath:execute,read-file:/etc/hosts",
      "--landlock-rule",
      `path-beneath:read-dir,execute,read-file,write-file,truncate,${change}:/Users/you/work "a"`,
      "--landlock-rule",
      "path-beneath:execute,read-file,write-file,truncate:/dev/null",
      "--"
    ])
    assert.includeMembers([...landlockWords("s", reach, { isRoot: true })], ["--bounding-set=-all", "--inh-caps=-all"])
  })

  it("give sandbox-exec a profile in which keys and repositories come last", () => {
    assert.deepStrictEqual(seatbeltProfile(reach, false).split("\n"), [
      "(version 1)",
      "(allow default)",
      "(deny network*)",
      "(deny appleevent-send)",
      "(deny signal (target others))",
      "(deny file-write*)",
      '(deny file-read-data (subpath "/Users/you"))',
      '(allow file-read-data (subpath "/usr") (subpath "/etc/hosts") (subpath "/Users/you/work \\"a\\"") (subpath "/dev/null"))',
      '(allow file-write* (subpath "/Users/you/work \\"a\\"") (subpath "/dev/null"))',
      '(deny file-write* (subpath "/Users/you/work/.git"))',
      '(deny file-read-data file-write* (subpath "/Users/you/.ssh") (subpath "/Users/you/work/.env"))'
    ])
    assert.notInclude(seatbeltProfile(reach, true), "network")
  })

  it("say what is not kept from a command", () => {
    const bounds = { network: false, unixSockets: false, isExposed: false, why: "bubblewrap is not installed" }
    const landlock = { name: "Landlock", path: "" } as const
    assert.include(partialWords(landlock, bounds), "the network is not blocked, Unix sockets are not blocked")
    const filtered = { ...landlock, filter: new Uint8Array() }
    assert.notInclude(partialWords(filtered, bounds), "not blocked")
    assert.include(partialWords(filtered, { ...bounds, unixSockets: true }), "Unix sockets are not blocked")
    assert.include(partialWords(filtered, { ...bounds, isExposed: true }), "nor your configuration of task-conductor")
    assert.include(partialWords({ name: "sandbox-exec", path: "" }, bounds), "It can ask other programs")
  })
})

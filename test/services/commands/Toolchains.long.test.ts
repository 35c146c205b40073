import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type { SandboxSettings } from "../../../src/domain/commands/CommandSettings.ts"
import { type Toolchain, toolchains } from "../../../src/domain/commands/Toolchains.ts"
import { liveTest } from "../../support/liveTest.ts"
import { needs } from "../../support/needs.ts"
import { putFiles } from "../../support/Project.ts"
import { makeFar, openScripts } from "../../support/SandboxScripts.ts"

const path = process.env["PATH"] ?? ""

interface Person {
  readonly home: string
  readonly sandbox?: SandboxSettings
  readonly environment?: Readonly<Record<string, string>>
  readonly caches?: string
  readonly files?: Readonly<Record<string, string>>
}

/** Runs commands for a person with this home folder; gives exit code and output. */
const openFor = Effect.fnUntraced(function* (person: Person) {
  const { caches, environment = {}, files = {}, home, sandbox = {} } = person
  const { command: run, root } = yield* openScripts({
    files,
    commands: {
      home,
      sandbox,
      environment: { PATH: path, HOME: home, ...environment },
      ...(caches === undefined ? {} : { caches })
    }
  })
  return { root, run }
})

/** The file that stands for a part of a toolchain. */
const fileOf = (folder: string, part: string): string =>
  /\.sh$|^\.tool-versions$/.test(part === "." ? folder : part)
    ? `${folder}/${part}`.replace(/\/\.$/, "")
    : `${folder}/${part}/file.txt`.replace("/./", "/")

interface Case {
  readonly toolchain: Toolchain
  readonly folder: string
}

const filesOf = ({ folder, toolchain: { keys = [], packages = [], programs = [] } }: Case) => ({
  programs: programs.map((part) => fileOf(folder, part)),
  packages: packages.map((part) => fileOf(folder, part)),
  keys: keys.map((part) => `${folder}/${part}/key.txt`)
})

/** What of each toolchain a command can read and write. */
const seen = Effect.fnUntraced(function* (cases: ReadonlyArray<Case>, person: Omit<Person, "home">, home: string) {
  const all = cases.flatMap((one) => Object.values(filesOf(one)).flat())
  yield* putFiles(home, Object.fromEntries(all.map((file) => [file, "x"])))
  const { run } = yield* openFor({ ...person, home })
  const script = `for f; do test -r "$f" && echo "$f"; (echo y > "$f") 2>/dev/null && echo "changed $f"; done; true`
  const { output } = yield* run("sh", "-c", script, "sh", ...all.map((file) => `${home}/${file}`))
  return new Set(output.trim().split("\n"))
})

/** Shows programs and packages of these toolchains, but no keys. */
const expectShown = (lines: ReadonlySet<string>, cases: ReadonlyArray<Case>, home: string) => {
  for (const one of cases) {
    const { keys, packages, programs } = filesOf(one)
    for (const file of [...programs, ...packages]) assert.include([...lines], `${home}/${file}`, one.toolchain.name)
    for (const file of keys) assert.notInclude([...lines], `${home}/${file}`, one.toolchain.name)
  }
}

describe("toolchains of a person in the sandbox", needs("bwrap"), () => {
  const usual = toolchains.flatMap((toolchain) => toolchain.folders.map((folder): Case => ({ toolchain, folder })))

  liveTest("are read-only and without their credentials, each of them", function* () {
    const home = yield* makeFar({})
    expectShown(yield* seen(usual, {}, home), usual, home)
    const fs = yield* FileSystem.FileSystem
    for (const file of usual.flatMap((one) => Object.values(filesOf(one)).flat()))
      assert.strictEqual(yield* fs.readFileString(`${home}/${file}`), "x", file)
  })

  liveTest("keep their downloaded packages to themselves when commands can download", function* () {
    const home = yield* makeFar({})
    const lines = yield* seen(usual, { sandbox: { network: true } }, home)
    for (const one of usual) {
      const { packages, programs } = filesOf(one)
      for (const file of programs) assert.include([...lines], `${home}/${file}`, one.toolchain.name)
      for (const file of packages) assert.notInclude([...lines], `${home}/${file}`, one.toolchain.name)
    }
  })

  liveTest("are found where their variables say, but not in what holds the home folder or the project", function* () {
    const home = yield* makeFar({ "a.txt": "private" })
    const named = toolchains.flatMap((toolchain, index) =>
      toolchain.variable === undefined ? [] : [{ toolchain, folder: `elsewhere/${index}` }]
    )
    const environment = Object.fromEntries(
      named.map(({ folder, toolchain }) => [toolchain.variable ?? "", `${home}/${folder}`])
    )
    expectShown(yield* seen(named, { environment }, home), named, home)
    const { run } = yield* openFor({ home, environment: { JAVA_HOME: home, GOROOT: "/", VIRTUAL_ENV: "relative" } })
    const { output } = yield* run("sh", "-c", `cat ${home}/a.txt; ls /home /root /srv 2>/dev/null`)
    assert.notInclude(output, "private")
  })

  liveTest("are the same in a folder that is a link", function* () {
    const fs = yield* FileSystem.FileSystem
    const data = yield* makeFar({ "toolchains/stable/bin/rustc": "x" })
    const home = yield* makeFar({})
    yield* fs.symlink(data, `${home}/.rustup`)
    const { run } = yield* openFor({ home })
    const file = "toolchains/stable/bin/rustc"
    assert.deepStrictEqual(yield* run("cat", `${home}/.rustup/${file}`, `${data}/${file}`), {
      exit_code: 0,
      output: "xx"
    })
  })
})

describe("the Gradle of a wrapper in the sandbox", needs("bwrap"), () => {
  const dists = ".gradle/wrapper/dists"
  const [whole, cut] = [`${dists}/gradle-8.5-bin/abc`, `${dists}/gradle-8.6-bin/def`]

  /** As a wrapper looks for its Gradle: behind a lock that it makes, by the mark of a download that is whole. */
  const wrapper = `d="$GRADLE_USER_HOME/wrapper/dists/$1"; mkdir -p "$d"; : > "$d/lock" && ls "$d"; cat "$d"/*/bin/gradle`

  liveTest("is the one that the user has downloaded, as long as it is there", function* () {
    const fs = yield* FileSystem.FileSystem
    const home = yield* makeFar({
      [`${whole}/gradle-8.5/bin/gradle`]: "of the user\n",
      [`${whole}/gradle-8.5-bin.zip.ok`]: "",
      [`${whole}/gradle-8.5-bin.zip.lck`]: "",
      [`${cut}/gradle-8.6/bin/gradle`]: "not whole\n"
    })
    const { run } = yield* openFor({ home, caches: `${home}/caches` })
    const asked = (name: string) => Effect.map(run("sh", "-c", wrapper, "sh", name), ({ output }) => output.split("\n"))
    const found = ["gradle-8.5", "gradle-8.5-bin.zip.ok", "lock", "of the user", ""]
    assert.deepStrictEqual(yield* asked("gradle-8.5-bin/abc"), found)
    assert.deepStrictEqual(yield* asked("gradle-8.5-bin/abc"), found)
    assert.deepStrictEqual((yield* asked("gradle-8.6-bin/def"))[0], "lock")
    assert.deepStrictEqual((yield* fs.readDirectory(`${home}/${whole}`)).toSorted(), [
      "gradle-8.5",
      "gradle-8.5-bin.zip.lck",
      "gradle-8.5-bin.zip.ok"
    ])
    yield* fs.remove(`${home}/${whole}`, { recursive: true })
    assert.deepStrictEqual((yield* asked("gradle-8.5-bin/abc"))[0], "lock")
  })

  liveTest("is never looked for through links that a command has left in the cache", function* () {
    const fs = yield* FileSystem.FileSystem
    const home = yield* makeFar({
      [`${whole}/gradle-8.5/bin/gradle`]: "",
      [`${whole}/gradle-8.5-bin.zip.ok`]: "",
      "work/a.txt": "kept"
    })
    const { run } = yield* openFor({ home, caches: `${home}/caches` })
    yield* run("sh", "-c", 'rm -r "$GRADLE_USER_HOME"; ln -s "$1" "$GRADLE_USER_HOME"', "sh", `${home}/work`)
    yield* run("true")
    assert.deepStrictEqual(yield* fs.readDirectory(`${home}/work`), ["a.txt"])
  })
})

describe("environments of a project in the sandbox", needs("bwrap"), () => {
  const interpreter = '#!/bin/sh\ncat "$(dirname "$(readlink -f "$0")")/../lib/python3.12/os.py"\n'

  liveTest("show the Python that they lead to, also for an environment outside the project", function* () {
    const fs = yield* FileSystem.FileSystem
    const home = yield* makeFar({
      "opt/python/bin/python3.12": interpreter,
      "opt/python/lib/python3.12/os.py": "standard library\n",
      "envs/one/pyvenv.cfg": "home = x\n",
      "envs/one/lib/a.txt": "of the environment\n",
      "opt/private.txt": "private"
    })
    yield* fs.chmod(`${home}/opt/python/bin/python3.12`, 0o755)
    const { root, run } = yield* openFor({ home, files: { ".venv/pyvenv.cfg": "home = x\n", "b/venv/a": "" } })
    yield* fs.makeDirectory(`${root}/.venv/bin`)
    yield* fs.symlink(`${home}/opt/python/bin/python3.12`, `${root}/.venv/bin/python`)
    yield* fs.symlink(`${home}/envs/one`, `${root}/env`)
    assert.deepStrictEqual(yield* run(".venv/bin/python"), { exit_code: 0, output: "standard library\n" })
    assert.deepStrictEqual(yield* run("cat", "env/lib/a.txt"), { exit_code: 0, output: "of the environment\n" })
    assert.notStrictEqual((yield* run("cat", `${home}/opt/private.txt`)).exit_code, 0)
  })

  liveTest("show nothing else that their links lead to", function* () {
    const fs = yield* FileSystem.FileSystem
    const home = yield* makeFar({ "private/bin/python": "private", "private/a.txt": "private" })
    const { root, run } = yield* openFor({ home, files: { ".venv/pyvenv.cfg": "" } })
    yield* fs.makeDirectory(`${root}/.venv/bin`)
    yield* fs.symlink(`${home}/private/bin/python`, `${root}/.venv/bin/python`)
    yield* fs.symlink(`${home}/private`, `${root}/venv`)
    yield* fs.symlink(`${home}/private`, `${root}/node_modules`)
    const { output } = yield* run("sh", "-c", "cat venv/a.txt node_modules/a.txt .venv/bin/python; ls node_modules")
    assert.notInclude(output, "private\n")
    assert.notMatch(output, /^private/m)
  })

  liveTest("of a program on the search path are shown as a whole, with what its links lead to", function* () {
    const fs = yield* FileSystem.FileSystem
    const home = yield* makeFar({
      "work/env/pyvenv.cfg": "home = x\n",
      "work/env/share/a.txt": "of the environment\n",
      "work/env/bin/pytest": "#!/bin/sh\ncat $(dirname $0)/../share/a.txt\npython3\n",
      "apps/python/bin/python3": interpreter,
      "apps/python/lib/python3.12/os.py": "standard library\n"
    })
    for (const file of ["work/env/bin/pytest", "apps/python/bin/python3"]) yield* fs.chmod(`${home}/${file}`, 0o755)
    yield* fs.symlink(`${home}/apps/python/bin/python3`, `${home}/work/env/bin/python3`)
    const { run } = yield* openFor({ home, environment: { PATH: `${home}/work/env/bin:${path}` } })
    assert.deepStrictEqual(yield* run("pytest"), { exit_code: 0, output: "of the environment\nstandard library\n" })
  })
})

describe("the cache of a project", needs("bwrap"), () => {
  const write = 'echo "$1" > "$XDG_CACHE_HOME/kept"; mkdir -p ~/.cache && echo lost > ~/.cache/lost'

  liveTest("lasts from one command to the next, for this project only, and is never that of the user", function* () {
    const fs = yield* FileSystem.FileSystem
    const home = yield* makeFar({ ".cache/kept": "of the user" })
    const caches = `${home}/.local/state/task-conductor/caches`
    const one = yield* openFor({ home, caches })
    assert.strictEqual((yield* one.run("sh", "-c", write, "sh", "first")).exit_code, 0)
    const again = yield* one.run(
      "sh",
      "-c",
      'cat "$XDG_CACHE_HOME/kept"; ls ~/.cache 2>/dev/null; echo "$npm_config_cache"'
    )
    assert.deepStrictEqual(again, { exit_code: 0, output: `first\n/var/cache/task-conductor/npm\n` })
    const other = yield* openFor({ home, caches })
    assert.strictEqual((yield* other.run("sh", "-c", 'cat "$XDG_CACHE_HOME/kept"')).exit_code, 1)
    assert.strictEqual(yield* fs.readFileString(`${home}/.cache/kept`), "of the user")
    assert.strictEqual((yield* fs.stat(caches)).mode & 0o777, 0o700)
  })
})

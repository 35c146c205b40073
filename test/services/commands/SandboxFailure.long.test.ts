import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { saysNoNetwork } from "../../../src/domain/commands/NetworkTrouble.ts"
import { liveTest } from "../../support/liveTest.ts"
import { needs } from "../../support/needs.ts"
import { makeFar, openScripts } from "../../support/SandboxScripts.ts"

const path = process.env["PATH"] ?? ""

interface Trial {
  readonly argv: ReadonlyArray<string>
  readonly files?: Readonly<Record<string, string>>
  readonly ofHome?: Readonly<Record<string, string>>
  readonly links?: Readonly<Record<string, string>>
  /** The setting that is named. */
  readonly needed?: string
}

/** Runs one command in the sandbox. `~` stands for the home folder; links are of the project. Gives what can be set. */
const setting = Effect.fnUntraced(function* ({ argv, files = {}, links = {}, ofHome = {} }: Trial) {
  const fs = yield* FileSystem.FileSystem
  const home = yield* makeFar(ofHome)
  const withHome = (text: string) => text.replaceAll("~", home)
  const { command, log, root } = yield* openScripts({
    files: Object.fromEntries(Object.entries(files).map(([name, text]) => [name, withHome(text)])),
    commands: { home, hidden: [`${home}/.config/task-conductor`], environment: { PATH: path, HOME: home } }
  })
  for (const name of Object.keys(files)) yield* fs.chmod(`${root}/${name}`, 0o755)
  for (const name of Object.keys(ofHome)) yield* fs.chmod(`${home}/${name}`, 0o755)
  for (const [name, target] of Object.entries(links)) yield* fs.symlink(withHome(target), `${root}/${name}`)
  const { sandbox } = yield* command(...argv.map(withHome))
  const warned = log.events().filter((event) => event.type === "message" && event.level === "warning")
  assert.strictEqual(warned.length, sandbox === undefined ? 0 : 1)
  return sandbox?.replace(/^.*"sandbox": (\{.*\})\.$/, "$1")
})

const tool = { "apps/tool/bin/tool": "#!/bin/sh\n" }
const trials: Readonly<Record<string, Trial>> = {
  "a program that is a link into the home folder": {
    argv: ["./tool"],
    ofHome: tool,
    links: { tool: "~/apps/tool/bin/tool" },
    needed: '{ "readable": ["~/apps/tool"] }'
  },
  "a script whose interpreter is in the home folder": {
    argv: ["./run"],
    files: { run: "#!~/apps/tool/bin/tool\n" },
    ofHome: tool,
    needed: '{ "readable": ["~/apps/tool"] }'
  },
  "a file of the home folder": {
    argv: ["cat", "~/data/a.txt"],
    ofHome: { "data/a.txt": "a" },
    needed: '{ "readable": ["~/data"] }'
  },
  "a package that is a link": {
    argv: ["node", "-e", "require('linked')"],
    files: { "node_modules/a/index.js": "" },
    ofHome: { "work/linked/index.js": "" },
    links: { "node_modules/linked": "~/work/linked" },
    needed: '{ "readable": ["~/work/linked"] }'
  },
  "a folder that it may only read": {
    argv: ["sh", "-c", "echo a > ~/.rustup/toolchains/new"],
    ofHome: { ".rustup/toolchains/a": "" },
    needed: '{ "writable": ["~/.rustup/toolchains"] }'
  },
  "a change of the repository": {
    argv: ["sh", "-c", "echo a > .git/index"],
    files: { ".git/HEAD": "ref: refs/heads/main\n", ".git/config": "[core]\n" },
    needed: '{ "git": true }'
  },
  "the network": {
    argv: ["node", "-e", "fetch('http://example.org/').catch((e) => { throw e.cause })"],
    needed: '{ "network": true }'
  },
  "a Unix socket": {
    argv: ["node", "-e", "require('node:net').createServer().listen('/tmp/a.sock')"],
    needed: '{ "unixSockets": true }'
  },
  "nothing, when it fails by itself": {
    argv: ["sh", "-c", "cat missing.txt; cat ~/missing.txt; echo 'not found: /etc/passwd ~'; exit 1"],
    ofHome: { "a.txt": "" }
  },
  "nothing, when it ends well": { argv: ["sh", "-c", "cat ~/data/a.txt; true"], ofHome: { "data/a.txt": "a" } },
  "nothing, for keys and the folders of this program": {
    argv: ["sh", "-c", "cat ~/.ssh/id_rsa ~/.config/task-conductor/config.json"],
    ofHome: { ".ssh/id_rsa": "a", ".config/task-conductor/config.json": "{}" }
  }
}

describe("a command that fails because of the sandbox", needs("bwrap"), () => {
  for (const [name, trial] of Object.entries(trials))
    liveTest(`names the setting for ${name}`, () =>
      Effect.map(setting(trial), (said) => assert.strictEqual(said, trial.needed))
    )
})

describe("a command that wanted a network", () => {
  const outputs: Readonly<Record<string, string>> = {
    npm: "npm error code ENOTCACHED\nnpm error request to https://registry.npmjs.org/left-pad failed: cache mode is 'only-if-cached'",
    pnpm: " ERR_PNPM_NO_OFFLINE_META  Failed to resolve left-pad@* in package mirror /var/cache/task-conductor/pnpm",
    "yarn 1": "info There appears to be trouble with your network connection. Retrying...",
    bun: "error: ConnectionRefused downloading package manifest left-pad",
    pip: "ERROR: Could not find a version that satisfies the requirement six (from versions: none)\nERROR: No matching distribution found for six",
    uv: "  Caused by: dns error\n  Caused by: failed to lookup address information: Temporary failure in name resolution",
    conda:
      "CondaHTTPError: HTTP 000 CONNECTION FAILED for url <https://conda.anaconda.org/conda-forge/linux-64/repodata.json>",
    cargo:
      "error: no matching package named `one` found\nAs a reminder, you're using offline mode (--offline) which can sometimes",
    go: 'one.go:3:8: github.com/a/b@v1.0.0: Get "https://proxy.golang.org/": dial tcp: lookup proxy.golang.org: Try again',
    Maven:
      "[ERROR] Plugin a:b:2.6 or one of its dependencies could not be resolved: Could not transfer artifact a:b:pom:2.6 from/to central (https://repo.maven.apache.org/maven2): /home/you/.m2/repository/a/b.pom.part.lock (No such file or directory)",
    "Maven, offline":
      "[ERROR] Cannot access central (https://repo.maven.apache.org/maven2) in offline mode and the artifact a:b:jar:1",
    Gradle: "   > No cached version of com.google.gms:google-services:4.3.4 available for offline mode.",
    "a wrapper of Gradle": 'Exception in thread "main" java.net.UnknownHostException: services.gradle.org',
    Bundler: "Could not reach host index.rubygems.org. Check your network connection and try again.",
    gem: "SocketError: Failed to open TCP connection to rubygems.org:443 (getaddrinfo: Temporary failure in name resolution)",
    Composer:
      "curl error 6 while downloading https://repo.packagist.org/packages.json: Could not resolve host: repo.packagist.org",
    NuGet: "error NU1301: Unable to load the service index for source https://api.nuget.org/v3/index.json.",
    hex: '{:failed_connect, [{:to_address, {~c"repo.hex.pm", 443}}, {:inet, [:inet], :nxdomain}]}',
    deno: 'error: Import "https://deno.land/a.ts" failed: error sending request for url (https://deno.land/a.ts)',
    git: "fatal: unable to access 'https://github.com/a/b/': Could not resolve host: github.com",
    wget: "wget: unable to resolve host address \u2018example.org\u2019"
  }
  it("is known by the words of each program", () => {
    for (const [name, output] of Object.entries(outputs)) assert.isTrue(saysNoNetwork(output), name)
  })

  it("is not one that failed by itself", () => {
    const own = [
      "error: expected 1, found 2",
      "make: *** No rule to make target 'one'",
      "Could not find the file a.txt",
      "404 Not Found"
    ]
    for (const output of own) assert.isFalse(saysNoNetwork(output), output)
  })
})

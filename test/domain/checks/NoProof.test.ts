/**
 * Which runs of checks prove nothing. Outputs of npm, node, vitest, pytest, unittest, Go, Cargo, make, gcc, Maven, prove and CTest
 * are as the programs wrote them; the others follow their documentation.
 */
import { describe, expect, it } from "@effect/vitest"
import type { CheckEnd } from "../../../src/domain/checks/CheckEnd.ts"
import { type CheckCommand, outcomeOf, passes, statusOf, triedCheck } from "../../../src/domain/checks/CheckOutcome.ts"
import { type NoProofCause, noProofOf, provesNothing } from "../../../src/domain/checks/NoProof.ts"

const check: CheckCommand = { argv: ["npm", "test"], kind: "given" }
const end = (exitCode: number | null, output: string): CheckEnd => ({ exitCode, output, seconds: 1 })

type Row = readonly [name: string, exitCode: number, output: string]

const rows: Readonly<Record<Exclude<NoProofCause, "limit" | "sandbox">, ReadonlyArray<Row>>> = {
  "no such task": [
    ["npm", 1, 'npm error Missing script: "test"\nnpm error To see a list of scripts, run:\n'],
    ["npm init", 1, '> test\n> echo "Error: no test specified" && exit 1\n\nError: no test specified\n'],
    ["npm without a manifest", 254, "npm error code ENOENT\nnpm error enoent Could not read package.json\n"],
    ["yarn", 1, 'error Command "test" not found.\ninfo Visit https://yarnpkg.com/en/docs/cli/run\n'],
    ["yarn berry", 1, 'Usage Error: Couldn\'t find a script named "test".\n'],
    ["bun", 1, 'error: Script not found "test"\n'],
    ["make", 2, "make: *** No rule to make target 'test'.  Stop.\n"],
    ["make without a makefile", 2, "make: *** No targets specified and no makefile found.  Stop.\n"],
    ["just", 1, "error: Justfile does not contain recipe `test`\n"],
    ["task", 200, 'task: Task "test" does not exist\n'],
    ["rake", 1, "rake aborted!\nDon't know how to build task 'test'\n"],
    ["cargo", 101, "error: could not find `Cargo.toml` in `/project` or any parent directory\n"],
    ["cargo nextest", 101, "error: no such command: `nextest`\n\nhelp: a command with a similar name exists: `test`\n"],
    ["go", 1, "go: cannot find main module, but found .git/config in /project\n"],
    ["go elsewhere", 1, "pattern ./...: directory prefix . does not contain main module\n"],
    ["maven", 1, "[ERROR] The goal requires a project, but there is no POM in this directory (/project).\n"],
    ["maven phase", 1, '[ERROR] Unknown lifecycle phase "tests". You must specify a valid lifecycle phase\n'],
    ["gradle", 1, "* What went wrong:\nTask 'tests' not found in root project 'a'.\n"],
    ["dotnet", 1, "MSBUILD : error MSB1003: Specify a project or solution file.\n"],
    ["mix", 1, '** (Mix) The task "tests" could not be found\n'],
    ["pytest", 4, "no tests ran in 0.00s\nERROR: file or directory not found: nope.py\n"],
    ["python", 2, "python3: can't open file '/project/check.py': [Errno 2] No such file or directory\n"],
    ["ctest", 1, 'Failed to change working directory to "/project/build" : No such file or directory\n']
  ],
  "no network": [
    ["go", 1, 'a.go:3:8: module x/y: Get "https://proxy.example/x": dial tcp: lookup proxy.example: no such host\n'],
    ["cargo", 101, "error: failed to get `serde`\nCaused by:\n  Could not resolve host: index.crates.io\n"],
    ["npm", 1, "npm error code EAI_AGAIN\n"],
    ["pip", 1, "ERROR: No matching distribution found for x\n"],
    ["maven", 1, "[ERROR] Plugin a:2.6: Cannot access central (https://a.example) in offline mode\n"],
    ["gradle wrapper", 1, 'Exception in thread "main" java.net.UnknownHostException: services.gradle.org\n']
  ],
  "toolchain missing": [
    ["go", 1, "go: download go1.99 for linux/amd64: toolchain not available\n"],
    ["go version", 1, "go: errors parsing go.mod:\ngo: go.mod requires go >= 1.99 (running go 1.21)\n"],
    ["rustup", 1, "error: toolchain '1.20.0-x86_64-unknown-linux-gnu' is not installed\n"],
    ["rust linker", 101, "error: linker `cc` not found\n  = note: No such file or directory (os error 2)\n"],
    ["maven", 1, "The JAVA_HOME environment variable is not defined correctly,\n"],
    ["gradle", 1, "ERROR: JAVA_HOME is not set and no 'java' command could be found in your PATH.\n"],
    ["javac", 1, "[ERROR] No compiler is provided in this environment.\n"],
    ["pyenv", 127, "pyenv: version `3.13.0' is not installed (set by /project/.python-version)\n"],
    ["rbenv", 1, "rbenv: version `3.4.0' is not installed (set by /project/.ruby-version)\n"],
    ["asdf", 126, "No version is set for command node\n"],
    ["dotnet", 145, "The command could not be loaded, possibly because:\n  * A compatible .NET SDK was not found.\n"],
    ["bundler", 18, "Your Ruby version is 3.1.2, but your Gemfile specified 3.4.0\n"],
    ["xcode", 1, "xcrun: error: invalid active developer path (/Library/Developer/CommandLineTools)\n"]
  ],
  "program missing": [
    ["npm script", 127, "> x\n> jest\n\nsh: 1: jest: not found\n"],
    ["bash", 127, "bash: line 1: jest: command not found\n"],
    ["env", 127, "/usr/bin/env: ‘jest’: No such file or directory\n"],
    ["not executable", 126, "sh: 1: ./run.sh: Permission denied\n"],
    ["make", 2, "jest\nmake: jest: No such file or directory\nmake: *** [Makefile:2: test] Error 127\n"],
    ["npx", 1, 'npm error npx canceled due to missing packages and no YES option: ["vitest@4.1.12"]\n'],
    ["npx offline", 1, "npm error could not determine executable to run\n"],
    ["pnpm", 1, " ELIFECYCLE  Command failed.\nError: spawn vitest ENOENT\n"],
    ["python module", 1, "/usr/bin/python3: No module named pytest\n"],
    ["php", 1, "Could not open input file: vendor/bin/phpunit\n"],
    ["bundler", 127, "bundler: command not found: rspec\nInstall missing gem executables with `bundle install`\n"],
    ["go tool", 1, 'go: no such tool: exec: "gotestsum": executable file not found in $PATH\n'],
    ["windows", 1, "'jest' is not recognized as an internal or external command,\noperable program or batch file.\n"]
  ],
  "modules missing": [
    ["node", 1, "Error: Cannot find module 'left-pad'\nRequire stack:\n- /project/b.js\n  code: 'MODULE_NOT_FOUND',\n"],
    ["node --test", 1, "# Error: Cannot find module '/a.js'\nnot ok 1 - a.mjs\n  failureType: 'testCodeFailure'\n"],
    ["vitest", 1, " FAIL  a.test.ts [ a.test.ts ]\nError: Cannot find package 'nothere'\n      Tests  no tests\n"],
    ["jest", 1, " FAIL  ./a.test.js\n    Cannot find module 'react' from 'a.test.js'\nTests:       0 total\n"],
    ["yarn berry", 1, "Internal Error: The project in /project/package.json doesn't seem to have been installed\n"],
    ["pytest", 2, "E   ModuleNotFoundError: No module named 'nothere'\nERROR test_a.py\n1 error in 0.63s\n"],
    ["unittest", 1, "ModuleNotFoundError: No module named 'b'\nRan 1 test in 0.000s\n\nFAILED (errors=1)\n"],
    ["go", 1, "a.go:3:8: no required module provides package github.com/x/y; to add it:\n\tgo get github.com/x/y\n"],
    ["go.sum", 1, "go: github.com/x/y@v1.0.0: missing go.sum entry for go.mod file; to add it:\n"],
    ["cargo", 101, "error: no matching package named `serde` found\nlocation searched: crates.io index\n"],
    ["esbuild", 1, '✘ [ERROR] Could not resolve "react"\n\n    src/a.ts:1:18:\n'],
    ["maven", 1, "[ERROR] Failed to execute goal on project a: Could not find artifact junit:junit:jar:4.13\n"],
    ["dotnet", 1, "/project/a.csproj : error NU1101: Unable to find package xunit.\n"],
    ["ruby", 1, "<internal:kernel>:136:in `require': cannot load such file -- minitest/autorun (LoadError)\n"],
    ["bundler", 7, "Could not find rspec-3.12.0 in locally installed gems\nRun `bundle install`.\n"],
    ["php", 255, "PHP Fatal error:  Uncaught Error: Failed opening required 'vendor/autoload.php'\n"],
    ["perl", 1, "Can't locate Nope/Thing.pm in @INC at t/a.t line 1.\nFiles=1, Tests=0\nResult: FAIL\n"],
    ["mix", 1, 'Unchecked dependencies for environment test:\n  the dependency is not available, run "mix deps.get"\n'],
    ["gcc", 2, "a.c:1:10: fatal error: nothere.h: No such file or directory\nmake: *** [<builtin>: a.o] Error 1\n"]
  ],
  "no tests": [
    ["pytest", 5, "collected 0 items\n\n===== no tests ran in 0.01s =====\n"],
    ["unittest", 0, "\nRan 0 tests in 0.000s\n\nOK\n"],
    ["node", 0, "TAP version 13\n1..0\n# tests 0\n# suites 0\n# pass 0\n# fail 0\n"],
    ["node pattern", 1, "Could not find '/project/nope/*.mjs'\n"],
    ["vitest", 1, "No test files found, exiting with code 1\ninclude: **/*.{test,spec}.?(c|m)[jt]s?(x)\n"],
    ["jest", 1, "No tests found, exiting with code 1\nRun with `--passWithNoTests` to exit with code 0\n"],
    ["mocha", 1, 'Error: No test files found: "test"\n'],
    ["mocha that passes", 0, "\n\n  0 passing (1ms)\n"],
    ["playwright", 1, "Error: No tests found\n"],
    ["go", 0, "?   \ta\t[no test files]\n?   \ta/b\t[no test files]\n"],
    ["go filter", 0, "ok  \ta\t0.003s [no tests to run]\n"],
    ["cargo", 0, "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured\n"],
    ["nextest", 4, "    Starting 0 tests across 1 binary\nerror: no tests to run\n"],
    ["maven", 0, "[INFO] No tests to run.\n[INFO] BUILD SUCCESS\n"],
    ["surefire", 1, "[ERROR] No tests were executed!  (Set -DfailIfNoTests=false to ignore this error.)\n"],
    ["gradle", 0, "> Task :compileTestJava NO-SOURCE\n> Task :test NO-SOURCE\n\nBUILD SUCCESSFUL in 1s\n"],
    ["dotnet", 0, "No test is available in /project/bin/Debug/net8.0/a.dll.\n"],
    ["rspec", 0, "No examples found.\n\nFinished in 0.0002 seconds\n0 examples, 0 failures\n"],
    ["minitest", 0, "0 runs, 0 assertions, 0 failures, 0 errors, 0 skips\n"],
    ["phpunit", 0, "PHPUnit 10.5.1 by Sebastian Bergmann and contributors.\n\nNo tests executed!\n"],
    ["mix", 0, "There are no tests to run\n"],
    ["ctest", 0, "Test project /project/build\nNo tests were found!!!\n"],
    ["prove", 0, "Files=0, Tests=0,  0 wallclock secs ( 0.00 usr +  0.00 sys =  0.00 CPU)\nResult: NOTESTS\n"],
    ["deno", 1, "error: No test modules found\n"],
    ["make", 0, "make: Nothing to be done for 'test'.\n"],
    ["make with a folder of that name", 0, "> a\n> make test\n\nmake: 'test' is up to date.\n"]
  ],
  "not built": [
    ["go", 2, "# a [a.test]\n./a.go:3:9: undefined: undefinedThing\nFAIL\ta [build failed]\nFAIL\n"],
    ["cargo", 101, "error[E0425]: cannot find function `b`\n --> src/lib.rs:1:14\nerror: could not compile `a`\n"],
    ["gcc", 2, "a.c:2:19: error: 'x' undeclared (first use in this function)\nmake: *** [<builtin>: a.o] Error 1\n"],
    ["make", 2, "make: *** No rule to make target 'a.o', needed by 'test'.  Stop.\n"],
    ["maven", 1, "[ERROR] COMPILATION ERROR : \n[ERROR] /project/src/A.java:[3,5] cannot find symbol\n"],
    ["gradle", 1, "/project/src/A.java:3: error: cannot find symbol\nExecution failed for task ':compileJava'.\n"],
    ["dotnet", 1, "/project/A.cs(3,5): error CS0103: The name 'b' does not exist [/project/a.csproj]\nBuild FAILED.\n"],
    ["pytest", 2, "E   SyntaxError: invalid syntax\nERROR test_a.py\n!!! Interrupted: 1 error during collection !!!\n"],
    ["node", 1, "/project/check.js:1\nconst = 3\n      ^\n\nSyntaxError: Unexpected token '='\n"],
    ["jest", 1, " FAIL  ./a.test.js\n    Jest encountered an unexpected token\n  ● Test suite failed to run\n"],
    ["mix", 1, "== Compilation error in file lib/a.ex ==\n** (CompileError) lib/a.ex:2: undefined function b/0\n"],
    ["php", 255, 'PHP Parse error:  syntax error, unexpected token ";" in /project/a.php on line 3\n'],
    ["cmake", 2, "CMake Error at CMakeLists.txt:3 (find_package):\n"]
  ]
}

const all = Object.entries(rows).flatMap(([cause, some]) =>
  some.map(([name, exitCode, output]) => [cause, name, exitCode, output] as const)
)

const missing = (name: string) => end(1, `Error: Cannot find module '${name}'\n`)
const unbuilt = (...names: ReadonlyArray<string>) =>
  end(2, `${names.map((name) => `a.c:1:1: error: '${name}' undeclared`).join("\n")}\nmake: *** [a.o] Error 1\n`)

describe("a check that proves nothing", () => {
  it.each(all)("is known by its words: %s, %s", (cause, _name, exitCode, output) => {
    const run = end(exitCode, output)
    expect(noProofOf(run)?.cause).toBe(cause)
    const outcome = outcomeOf(check, run, { before: run })
    expect(outcome).toMatchObject({ cause, newFailures: [] })
    expect([statusOf(outcome), passes(outcome)]).toEqual(["not checked", false])
    expect(outcome.text).toContain("npm test: not checked. It proves nothing about the changes.")
    expect(outcome.notRun?.length).toBeGreaterThan(10)
    const tried = triedCheck(check, run)
    expect(tried).toMatchObject({ status: "not checked", cause, reason: expect.stringContaining("--check") })
    if (exitCode === 0) return
    const broken = outcomeOf(check, run, { before: end(0, "Tests  3 passed (3)\n") })
    expect([statusOf(broken), broken.newFailures.length > 0]).toEqual(["failed", true])
  })

  it("needs no comparison where no change can be the reason, and is a failure else", () => {
    const causes = all.flatMap(([cause, , exitCode, output]) =>
      exitCode !== 0 && provesNothing(end(exitCode, output), undefined) !== undefined ? [cause] : []
    )
    expect(new Set(causes)).toEqual(new Set(["no such task", "no network", "toolchain missing", "program missing"]))
  })

  it.each([
    ["jest", 1, "  ● Test suite failed to run\n    Cannot find module 'react'\nTests:   1 failed, 3 passed, 4 total\n"],
    ["go", 1, "# a [a.test]\n./a.go:3:9: undefined: x\nFAIL\ta [build failed]\nok  \tb\t0.1s\n"],
    ["node", 1, "not ok 1 - no test files found is said\nok 2 - b\n# tests 2\n# pass 1\n# fail 1\n"],
    ["pnpm", 1, "a test: No test files found, exiting with code 1\nb test: Tests  3 passed (3)\nTests  3 passed (3)\n"]
  ])("proves something where something passes beside: %s", (_name, exitCode, output) => {
    expect(noProofOf(end(exitCode, output))).toBe(undefined)
  })

  it("is a failure when another module is missing, or another error stops the build", () => {
    expect(outcomeOf(check, missing("mine"), { before: missing("react") }).newFailures).toEqual(["exit code 1"])
    const outcome = outcomeOf(check, unbuilt("x", "y"), { before: unbuilt("x") })
    expect(outcome.newFailures).toEqual(["a.c: error: 'y' undeclared"])
    expect(statusOf(outcomeOf(check, unbuilt("x"), { before: unbuilt("x", "y") }))).toBe("not checked")
  })

  it("says the setting of the sandbox that helps", () => {
    const hint =
      'The sandbox is the likely cause: ~/tool is hidden. Only the user can allow it: "sandbox": { "readable": ["~/tool"] }.'
    const run = { ...end(127, "sh: 1: exec: /root/tool/check: not found\n"), hint }
    const outcome = outcomeOf(check, run, { before: run })
    expect([outcome.cause, outcome.notRun?.endsWith(hint)]).toEqual(["program missing", true])
    const other = { ...end(1, "It is bad.\n"), hint }
    expect(outcomeOf(check, other, { before: other })).toMatchObject({ cause: "sandbox" })
    expect(triedCheck(check, other).reason).toContain('"readable": ["~/tool"]')
  })

  it("looks at a type check as at any other, except for tests that are missing", () => {
    const types: CheckCommand = { argv: ["tsc"], kind: "types" }
    expect(statusOf(outcomeOf(types, end(0, "# tests 0\n")))).toBe("passed")
    const missing = end(127, "sh: 1: tsc: not found\n")
    expect(statusOf(outcomeOf(types, missing, { before: missing }))).toBe("not checked")
    const errors = end(2, "a.ts(1,5): error TS2322: Type 'string' is not assignable to type 'number'.\n")
    expect(statusOf(outcomeOf(types, errors, { before: errors }))).toBe("nothing new fails")
  })
})

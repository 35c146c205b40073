import { assert, describe, it } from "@effect/vitest"
import { commandEnvironment, environmentNameProblem } from "../../../src/domain/commands/CommandSettings.ts"

const told = { AI_AGENT: "task-conductor", NO_COLOR: "1", TERM: "dumb" }

describe("the environment of a command", () => {
  it("holds a short list of variables and nothing else", () => {
    const harmless = { HOME: "/h", LANG: "C", LC_ALL: "C", TZ: "UTC", TMPDIR: "/t", USER: "u", SHELL: "/bin/sh" }
    const others =
      "AWS_SECRET_ACCESS_KEY GITHUB_TOKEN DATABASE_URL LD_PRELOAD NODE_OPTIONS GIT_DIR PS4 TERM FORCE_COLOR CI"
    const given = Object.fromEntries([...others.split(" "), "LC_api_key"].map((name) => [name, "x"]))
    assert.deepStrictEqual(commandEnvironment({ ...harmless, ...given, NO: undefined }, []), {
      ...told,
      ...harmless
    })
  })

  it("says that no person and no terminal reads the output, unless the user says something else", () => {
    assert.deepStrictEqual(commandEnvironment({ TERM: "xterm", CI: "1" }, []), told)
    assert.deepStrictEqual(commandEnvironment({ TERM: "xterm" }, ["TERM"]), { ...told, TERM: "xterm" })
  })

  it("holds what the user named, but never what steers programs or looks like a secret", () => {
    const all = { CI: "1", JAVA_HOME: "/j", NODE_OPTIONS: "--require x", NPM_TOKEN: "x" }
    assert.deepStrictEqual(commandEnvironment(all, Object.keys(all)), { ...told, CI: "1", JAVA_HOME: "/j" })
  })

  it("looks for programs in absolute folders only", () => {
    assert.deepStrictEqual(commandEnvironment({ PATH: "/bin:.:node_modules/.bin::/usr/bin" }, []), {
      ...told,
      PATH: "/bin:/usr/bin"
    })
  })

  it("takes names that a person may add", () => {
    for (const name of ["CI", "JAVA_HOME", "CARGO_HOME", "no_proxy"]) assert.isUndefined(environmentNameProblem(name))
    const refused =
      "LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES NODE_OPTIONS BASH_ENV ENV GIT_SSH_COMMAND PYTHONPATH PERL5OPT " +
      "RUBYOPT JAVA_TOOL_OPTIONS _JAVA_OPTIONS IFS PS4 ld_preload API_KEY GH_TOKEN MY_SECRET DB_PASSWORD SSH_AUTH_SOCK X=Y"
    for (const name of ["", "A B", ...refused.split(" ")]) assert.isString(environmentNameProblem(name), name)
  })
})

import { assert, describe, it } from "@effect/vitest"
import { isAutomatic, isControlPath, isSecretLike } from "../../../src/domain/files/SensitivePath.ts"

describe("isSecretLike", () => {
  it("finds keys, passwords and tokens by their names", () => {
    const secrets = [".env", "a/.env.local", "/home/you/.ssh/config", "cert.PEM", "ID_RSA", "x/.npmrc", "app.key"]
    assert.deepStrictEqual(
      secrets.filter((path) => !isSecretLike(path)),
      []
    )
  })

  it("leaves everyday files and examples alone", () => {
    const plain = ["src/env.ts", ".env.example", "README.md", "keys.ts", "docs/ssh.md", "environment"]
    assert.deepStrictEqual(plain.filter(isSecretLike), [])
  })
})

describe("isControlPath", () => {
  it("finds what steers git and this program, in any letter case and at any depth", () => {
    const control = [".git/config", "sub/.git/hooks/pre-commit", ".GIT/config", ".task-conductor/skills/x/SKILL.md"]
    assert.deepStrictEqual(
      [...control, "task-conductor.json", ".mcp.json"].filter((path) => !isControlPath(path)),
      []
    )
  })

  it("leaves similar names alone", () => {
    const plain = [".gitignore", "git/config", "src/.github/x", "docs/task-conductor.md"]
    assert.deepStrictEqual(plain.filter(isControlPath), [])
  })
})

describe("isAutomatic", () => {
  it("finds what editors, build servers, shells and git hooks run by themselves, at any depth and in any letter case", () => {
    const automatic = [
      ".vscode/tasks.json",
      "packages/a/.VSCode/launch.json",
      ".idea/workspace.xml",
      ".github/workflows/ci.yml",
      ".github/actions/x/action.yml",
      ".gitlab-ci.yml",
      ".husky/pre-commit",
      "/home/you/.bashrc",
      ".envrc",
      "web/.npmrc",
      "Jenkinsfile",
      "app.code-workspace",
      ".agents/skills/x/SKILL.md"
    ]
    assert.deepStrictEqual(
      automatic.filter((path) => !isAutomatic(path)),
      []
    )
  })

  it("leaves everyday files alone", () => {
    const plain = ["package.json", "Makefile", ".github/CODEOWNERS", ".github/ISSUE_TEMPLATE/bug.md", "vscode/a.md"]
    assert.deepStrictEqual([...plain, "src/workflows/ci.ts", ".gitignore", "AGENTS.md"].filter(isAutomatic), [])
  })
})

/**
 * Paths that need special care: files that look like secrets, files that programs run automatically, and files that
 * control git or this program. Decided by names alone.
 */
import { namesSecret } from "./SecretNames.ts"

export { secretFolders } from "./SecretNames.ts"

const namesIn = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/))

const componentsOf = (path: string): ReadonlyArray<string> =>
  path
    .toLowerCase()
    .split(/[\\/]/)
    .filter((part) => part !== "")

/**
 * True when the name of the file or of one of its folders suggests keys, passwords or tokens. The host reads such a file
 * only for a call that declares it.
 *
 * ```ts
 * isSecretLike("config/.env") // true
 * ```
 */
export const isSecretLike = (path: string): boolean => namesSecret(componentsOf(path))

/** Folders and files of a project that control git or this program, in any letter case. */
const controlNames = new Set([".git", ".task-conductor"])
const controlFiles = new Set(["task-conductor.json", ".mcp.json"])

/** True for a path below the project that a tool may never write. */
export const isControlPath = (relative: string): boolean => {
  const components = componentsOf(relative)
  return components.some((part) => controlNames.has(part)) || controlFiles.has(components.at(-1) ?? "")
}

/** Folders with files that programs run automatically: editors, build servers, git hooks, other agents. */
const automaticFolders = namesIn(`
  .agents .buildkite .circleci .claude .cursor .devcontainer .githooks .gitlab .husky .idea .vscode
`)
const automaticNames = namesIn(`
  .bash_aliases .bash_login .bash_logout .bash_profile .bashrc .drone.yml .envrc .gdbinit .gitconfig
  .gitlab-ci.yaml .gitlab-ci.yml .gitmodules .kshrc .lefthook.yml .lldbinit .npmrc .pnpmfile.cjs
  .pre-commit-config.yaml .profile .travis.yml .vimrc .yarnrc .yarnrc.yml .zlogin .zlogout .zprofile .zshenv
  .zshrc azure-pipelines.yml bitbucket-pipelines.yml config.fish jenkinsfile lefthook.yml
`)
/** In `.github` only these folders hold such files. */
const automaticInGithub = new Set(["actions", "workflows"])

/** True for a file that a program runs or reads automatically, so that a write to it can run code. */
export const isAutomatic = (path: string): boolean => {
  const components = componentsOf(path)
  const isRun = (folder: string, index: number) =>
    automaticFolders.has(folder) || (folder === ".github" && automaticInGithub.has(components[index + 1] ?? ""))
  const name = components.at(-1) ?? ""
  return components.slice(0, -1).some(isRun) || automaticNames.has(name) || name.endsWith(".code-workspace")
}

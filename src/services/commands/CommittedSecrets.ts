/**
 * Detects repositories in which a commit, a stash or the index contains files that look like secrets. Their git objects
 * are hidden from sandboxed commands, which could read the secrets from them.
 */
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import * as path from "node:path"
import { createInterface } from "node:readline"
import { isSecretLike } from "../../domain/files/SensitivePath.ts"
import { isFolder } from "../files/FileLook.ts"

/** How long git may take for a repository. After that, the repository counts as one with secrets. */
const patience = "20 seconds"

/**
 * The arguments with which git lists all paths with content in a repository. Each line has an object and a path. They
 * keep the repository's configuration from making git start a program or reach a server.
 */
const argv = "-c core.fsmonitor=false rev-list --objects --all --reflog --indexed-objects".split(" ")

const environment = {
  GIT_ALLOW_PROTOCOL: "none",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_NO_LAZY_FETCH: "1",
  GIT_OPTIONAL_LOCKS: "0"
}

/** True if a path in the repository looks like a secret, or if git cannot list the paths. */
const listsSecrets = (repository: string, searchPath: string): Effect.Effect<boolean> =>
  Effect.callback<boolean>((resume) => {
    const child = spawn("git", [`--git-dir=${repository}`, ...argv], {
      cwd: repository,
      env: { ...environment, PATH: searchPath },
      stdio: ["ignore", "pipe", "ignore"]
    })
    let isFound = false
    createInterface({ input: child.stdout }).on("line", (line) => {
      const at = line.indexOf(" ")
      if (isFound || at < 0 || !isSecretLike(line.slice(at + 1))) return
      isFound = true
      child.kill("SIGKILL")
    })
    child.on("error", () => resume(Effect.succeed(true)))
    child.on("close", (code) => resume(Effect.succeed(isFound || code !== 0)))
    return Effect.sync(() => void child.kill("SIGKILL"))
  })

/** Checks each repository for secrets once. With `git`, commands may commit, so nothing is hidden from them. */
export const makeCommittedSecrets = ({ git, searchPath }: { readonly git: boolean; readonly searchPath: string }) => {
  const holdsSecrets = new Map<string, boolean>()
  return {
    /** The object folders of `repositories` that commands must not see. */
    hiddenOf: Effect.fn("CommittedSecrets.hiddenOf")(function* (repositories: ReadonlyArray<string>) {
      if (git) return []
      const hidden: Array<string> = []
      for (const repository of repositories) {
        const objects = path.join(repository, "objects")
        if (!(yield* isFolder(objects))) continue
        const isKnown =
          holdsSecrets.get(repository) ??
          (yield* Effect.timeoutOrElse(listsSecrets(repository, searchPath), {
            duration: patience,
            orElse: () => Effect.succeed(true)
          }))
        holdsSecrets.set(repository, isKnown)
        if (isKnown) hidden.push(objects)
      }
      return hidden
    }),
    /** The hidden object folders of all repositories checked so far. */
    hidden: (): ReadonlyArray<string> =>
      [...holdsSecrets].flatMap(([repository, isHidden]) => (isHidden ? [path.join(repository, "objects")] : []))
  }
}

export type CommittedSecrets = ReturnType<typeof makeCommittedSecrets>

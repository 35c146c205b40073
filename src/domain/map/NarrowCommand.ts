/**
 * Runs only a part of a command of a project: the tests of the files that changed.
 */

/** How a command is run for a part of what it is for: these words, and then the targets. */
export interface Narrowing {
  readonly argv: readonly [string, ...Array<string>]
  /**
   * What the targets are. `files`: paths of test files. `folders`: folders of sources as `./a/b`, each a package of Go.
   * `manifests`: one path of the manifest of a package, so that each package is a command of its own.
   */
  readonly of: "files" | "folders" | "manifests"
}

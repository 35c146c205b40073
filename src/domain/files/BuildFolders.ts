/**
 * Recognises folders that builds, tests and checkers generate, by their names and by files beside or inside them. Their
 * content is no change of the project, even without a `.gitignore`.
 */

const gradle = ["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"]

/**
 * For each folder name, the files of which at least one must be in the same parent folder. The list is empty if the
 * name alone is enough.
 */
const folders = new Map<string, ReadonlyArray<string>>([
  ["target", ["Cargo.toml", "pom.xml", "build.sbt", "project.clj"]],
  ["build", gradle],
  [".gradle", gradle],
  ["_build", ["mix.exs", "dune-project", "rebar.config"]],
  ["deps", ["mix.exs"]],
  [".build", ["Package.swift"]],
  ...["__pycache__", ".tox", ".nox", ".hypothesis", ".dart_tool", ".stack-work", "dist-newstyle", ".zig-cache"].map(
    (name): [string, ReadonlyArray<string>] => [name, []]
  )
])

/** Entries that mark a folder of any name: caches (bford.info/cachedir), CMake and Meson. */
export const buildMarks: ReadonlyArray<string> = ["CACHEDIR.TAG", "CMakeCache.txt", "meson-private"]

/**
 * For a folder of this name, the files of which at least one must be in the same parent folder; undefined for another
 * name.
 */
export const besideBuild = (name: string): ReadonlyArray<string> | undefined => folders.get(name)

/**
 * Recognises folders that builds, tests and checkers generate, by their names and by files beside or inside them. Their
 * content never counts as a change of the project, even without a `.gitignore`.
 */

const gradle = ["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"]

/**
 * Names of folders that builds generate. A folder counts only if one of the listed files is beside it. If the list is
 * empty, the name is enough.
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

/**
 * Entries that mark the folder around them as generated, whatever its name: caches (bford.info/cachedir), CMake and
 * Meson.
 */
export const buildMarks: ReadonlyArray<string> = ["CACHEDIR.TAG", "CMakeCache.txt", "meson-private"]

/**
 * A folder with this name counts as generated if one of these files is beside it. If the list is empty, the name is
 * enough. Undefined for a name that no build uses.
 */
export const besideBuild = (name: string): ReadonlyArray<string> | undefined => folders.get(name)

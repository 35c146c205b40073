/**
 * Folders that builds, tests and checkers make anew, by their names and by what stands beside or in them: what commands write
 * there is no change of a project, whether or not its `.gitignore` says so.
 */

const gradle = ["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"]

/** With the files of which one stands beside it; none for a name that says enough. */
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

/** Entries of a folder that say it of any name: the mark of caches (bford.info/cachedir), CMake and Meson. */
export const buildMarks: ReadonlyArray<string> = ["CACHEDIR.TAG", "CMakeCache.txt", "meson-private"]

/** The files of which one beside a folder of this name makes it one of a build; nothing for another name. */
export const besideBuild = (name: string): ReadonlyArray<string> | undefined => folders.get(name)

/** The conventional commands of a project whose manifest names no commands. */
import { fileName } from "../files/PathList.ts"
import { classNarrowing, usualNarrowing } from "./NarrowCommand.ts"
import { folderOf, inWays, type Manifest, type ProjectCommand } from "./ProjectCommands.ts"

const gradle = ["gradle test", "gradle build"]

const usual: ReadonlyMap<string, ReadonlyArray<string>> = new Map(
  Object.entries({
    "Cargo.toml": ["cargo test", "cargo check", "cargo build"],
    "go.mod": ["go test ./...", "go vet ./...", "go build ./..."],
    "pom.xml": ["mvn test"],
    "settings.gradle": gradle,
    "settings.gradle.kts": gradle,
    "build.gradle": gradle,
    "build.gradle.kts": gradle,
    "mix.exs": ["mix test"],
    "Package.swift": ["swift test", "swift build"],
    "pubspec.yaml": ["dart test", "dart analyze"],
    "build.sbt": ["sbt test"],
    "build.zig": ["zig build test"],
    "dune-project": ["dune test", "dune build"],
    "rebar.config": ["rebar3 eunit"],
    "stack.yaml": ["stack test"],
    "cabal.project": ["cabal test all"],
    "project.clj": ["lein test"],
    "shard.yml": ["crystal spec"],
    "MODULE.bazel": ["bazel test //..."],
    ".rspec": ["bundle exec rspec"]
  })
)

/** The name of each program's wrapper script, which downloads the program. It may be beside the manifest. */
const wrappers: ReadonlyMap<string, string> = new Map([
  ["mvn", "mvnw"],
  ["gradle", "gradlew"]
])

/** True for a .NET solution file. It has no fixed name. */
export const isSolution = (path: string): boolean => /\.slnx?$/i.test(path)

const gradleNames: ReadonlyArray<string> = [...usual.keys()].filter((name) => name.includes("gradle"))

/** True if another manifest of the same kind, usually in a folder above, covers this manifest. */
const isPart = ({ files, path }: Manifest): boolean => {
  const name = fileName(path)
  /** The commands of an outer Go module never cover a nested module, because `./...` skips nested modules. */
  if (name === "go.mod") return false
  const sameKind = gradleNames.includes(name) ? gradleNames : [name]
  const parts = folderOf(path).split("/").slice(0, -1)
  const above = parts.some((_, index) => sameKind.some((one) => files.has([...parts.slice(0, index), one].join("/"))))
  const before = sameKind.slice(0, sameKind.indexOf(name))
  return above || before.some((one) => files.has(`${folderOf(path)}${one}`))
}

const listed = (manifest: Manifest): ReadonlyArray<ProjectCommand> => {
  const { files, path, text } = manifest
  const isWorkspace = /^\[workspace\]/m.test(text)
  const isFlutter = /^\s+sdk:\s*flutter\s*$/m.test(text)
  return (usual.get(fileName(path)) ?? []).map((command) => {
    const program = command.slice(0, command.indexOf(" "))
    const arguments_ = command.slice(program.length)
    const wrapper = wrappers.get(program)
    const isWrapped = wrapper !== undefined && files.has(`${folderOf(path)}${wrapper}`)
    if (wrapper !== undefined) {
      const hasParts = /^\s*include(?:Build)?\b/m.test(text)
      const ways = isWrapped ? [`./${wrapper}${arguments_}`, command] : [command]
      return inWays(
        ways.map((run) => ({ run, narrow: classNarrowing(run, hasParts) })),
        path
      )
    }
    if (program === "cargo" && isWorkspace) return inWays([`${command} --workspace`], path)
    return inWays([program === "dart" && isFlutter ? `flutter${arguments_}` : command], path)
  })
}

/** The commands of each module of a Go workspace. `./...` in the folder above does not reach these modules. */
const goWorkspace = ({ path, text }: Manifest): ReadonlyArray<ProjectCommand> => {
  const block = /^use\s*\(([^)]*)\)/m.exec(text)?.[1] ?? ""
  const alone = [...text.matchAll(/^use\s+([^\s(]+)/gm)].map(([, folder = ""]) => folder)
  const folders = [...block.split(/\s+/), ...alone].filter((one) => /^\.[\w./-]*$/.test(one))
  const all = folders.map((folder) => `${folder.replace(/\/$/, "")}/...`).join(" ")
  if (all === "") return []
  return ["test", "vet", "build"].map((name) => ({
    run: `go ${name} ${all}`,
    from: path,
    narrow: name === "test" ? usualNarrowing("go test ./...") : undefined
  }))
}

/**
 * The commands of C and C++ projects that use Meson or CMake. Such a project must first be configured in a separate
 * folder.
 */
const builtApart = ({ path, text }: Manifest): ReadonlyArray<ProjectCommand> => {
  if (fileName(path) === "meson.build") {
    if (!/^\s*project\s*\(/m.test(text)) return []
    const prepare = ["meson setup build"]
    const test: ProjectCommand = { run: "meson test -C build", from: path, prepare }
    return [
      ...(/\btest\s*\(|subdir\s*\(\s*'tests?'/.test(text) ? [test] : []),
      { run: "meson compile -C build", from: path, prepare, kind: "build" }
    ]
  }
  if (!/^\s*project\s*\(/im.test(text)) return []
  const setup = "cmake -B build"
  const build: ProjectCommand = { run: "cmake --build build", from: path, prepare: [setup], kind: "build" }
  const isTested =
    /\b(?:enable_testing|add_test)\s*\(|include\s*\(\s*CTest\s*\)|add_subdirectory\s*\(\s*"?tests?\b/i.test(text)
  const test: ProjectCommand = {
    run: "ctest --test-dir build --output-on-failure",
    from: path,
    prepare: [setup, build.run],
    kind: "tests"
  }
  return isTested ? [test, build] : [build]
}

const anyBelow = ({ files, path }: Manifest, pattern: RegExp): boolean =>
  [...files].some((file) => file.startsWith(folderOf(path)) && pattern.test(file.slice(folderOf(path).length)))

const rubyCommands = (manifest: Manifest): ReadonlyArray<ProjectCommand> => {
  const { files, path } = manifest
  const folder = folderOf(path)
  const run = files.has(`${folder}bin/rails`) && anyBelow(manifest, /^test\/.*_test\.rb$/) ? ["bin/rails test"] : []
  const spec = anyBelow(manifest, /^spec\/.*_spec\.rb$/) && !files.has(`${folder}.rspec`) ? ["bundle exec rspec"] : []
  return [...run, ...spec].map((one) => inWays([one], path))
}

const perlCommands = (manifest: Manifest): ReadonlyArray<ProjectCommand> =>
  anyBelow(manifest, /^t\/.*\.t$/) ? [inWays(["prove -l -r t"], manifest.path, { kind: "tests" })] : []

const computedCommands = new Map<string, (manifest: Manifest) => ReadonlyArray<ProjectCommand>>([
  ["go.work", goWorkspace],
  ["CMakeLists.txt", builtApart],
  ["meson.build", builtApart],
  ["Gemfile", rubyCommands],
  ["cpanfile", perlCommands],
  ["Makefile.PL", perlCommands]
])

export const usualManifests: ReadonlyArray<string> = [...usual.keys(), ...computedCommands.keys()]

/** The conventional commands of a manifest; empty if a larger project covers the manifest. */
export const usualCommands = (manifest: Manifest): ReadonlyArray<ProjectCommand> => {
  if (isPart(manifest)) return []
  if (isSolution(manifest.path)) return ["dotnet test", "dotnet build"].map((run) => ({ run, from: manifest.path }))
  return [...listed(manifest), ...(computedCommands.get(fileName(manifest.path))?.(manifest) ?? [])]
}

/**
 * Commands that a kind of project always has, known by the name of its manifest: those of Cargo, Go, Maven and so on.
 */
import { folderOf, type Manifest, nameOf, type ProjectCommand } from "./ProjectCommand.ts"

const usual: ReadonlyMap<string, ReadonlyArray<string>> = new Map(
  Object.entries({
    "Cargo.toml": ["cargo test", "cargo build"],
    "go.mod": ["go test ./...", "go vet ./...", "go build ./..."],
    "pom.xml": ["mvn test"],
    "build.gradle": ["gradle test", "gradle build"],
    "build.gradle.kts": ["gradle test", "gradle build"],
    "mix.exs": ["mix test"],
    "Package.swift": ["swift test", "swift build"],
    "pubspec.yaml": ["dart test", "dart analyze"],
    "build.sbt": ["sbt test"],
    "build.zig": ["zig build test"],
    "dune-project": ["dune test", "dune build"],
    "rebar.config": ["rebar3 eunit"],
    "stack.yaml": ["stack test"],
    ".rspec": ["bundle exec rspec"]
  })
)

/** Scripts beside a manifest that bring its program. */
const wrappers: ReadonlyArray<readonly [program: string, file: string]> = [
  ["mvn", "mvnw"],
  ["gradle", "gradlew"]
]

/** Names of the manifests with usual commands. */
export const usualManifests: ReadonlyArray<string> = [...usual.keys()]

/** True when a folder around the manifest has one of the same name, whose commands include it. */
const isPart = ({ files, path }: Manifest): boolean => {
  const parts = folderOf(path).split("/").slice(0, -1)
  return parts.some((_, index) => files.has([...parts.slice(0, index), nameOf(path)].join("/")))
}

/** The usual commands of a manifest; none for a part of a larger project of the same kind. */
export const usualCommands = (manifest: Manifest): ReadonlyArray<ProjectCommand> => {
  const { files, path } = manifest
  if (isPart(manifest)) return []
  return (usual.get(nameOf(path)) ?? []).map((command) => {
    const [program = "", ...rest] = command.split(" ")
    const wrapper = wrappers.find(([one, file]) => one === program && files.has(`${folderOf(path)}${file}`))
    return { run: [wrapper === undefined ? program : `./${wrapper[1]}`, ...rest].join(" "), from: path }
  })
}

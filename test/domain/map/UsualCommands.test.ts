import { describe, expect, it } from "@effect/vitest"
import { usualCommands } from "../../../src/domain/map/UsualCommands.ts"

const runs = (path: string, files: ReadonlyArray<string> = []) =>
  usualCommands({ path, text: "", files: new Set(files) }).map(({ run }) => run)

describe("usualCommands", () => {
  it.each([
    ["Cargo.toml", ["cargo test", "cargo check", "cargo build"]],
    ["go.mod", ["go test ./...", "go vet ./...", "go build ./..."]],
    ["server/go.mod", ["go test ./...", "go vet ./...", "go build ./..."]],
    ["mix.exs", ["mix test"]],
    ["package.json", []],
    ["constructor", []]
  ])("knows those of %s", (path, expected) => {
    expect(runs(path)).toEqual(expected)
  })

  it("uses the script that a project brings", () => {
    expect(runs("pom.xml", ["mvnw"])).toEqual(["./mvnw test"])
    expect(runs("app/build.gradle.kts", ["app/gradlew"])).toEqual(["./gradlew test", "./gradlew build"])
    expect(runs("pom.xml", ["sub/mvnw"])).toEqual(["mvn test"])
  })

  it("says nothing about a part of a larger project", () => {
    expect(runs("crates/a/Cargo.toml", ["Cargo.toml"])).toEqual([])
    expect(runs("x/crates/a/Cargo.toml", ["x/Cargo.toml"])).toEqual([])
    expect(runs("crates/a/Cargo.toml", ["crates/b/Cargo.toml"])).toEqual(["cargo test", "cargo check", "cargo build"])
  })
})

import { describe, expect, it } from "@effect/vitest"
import { usualCommands } from "../../../src/domain/map/UsualCommands.ts"

const runs = (path: string, files: ReadonlyArray<string> = []) =>
  usualCommands({ path, text: "", files: new Set(files) }).map(({ run }) => run)

const all = (texts: Readonly<Record<string, string>>, others: ReadonlyArray<string> = []) => {
  const files = new Set([...Object.keys(texts), ...others])
  return Object.entries(texts).flatMap(([path, text]) =>
    usualCommands({ path, text, files }).map(({ prepare = [], run }) => [...prepare, run].join("; "))
  )
}

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

  it("tests all members of a workspace of Rust, and each module of one of Go", () => {
    expect(all({ "Cargo.toml": "[workspace]\nmembers = ['a']\n" })[0]).toBe("cargo test --workspace")
    expect(all({ "go.work": "go 1.24\n\nuse (\n\t./api\n\t./web\n)\nuse ./tool\n" })[0]).toBe(
      "go test ./api/... ./web/... ./tool/..."
    )
    expect(all({ "go.work": "go 1.24\n" })).toEqual([])
    expect(runs("api/go.mod", ["go.mod"])).toContain("go test ./...")
  })

  it("sets up, builds and tests what CMake and Meson build, when there are tests", () => {
    const project = "cmake_minimum_required(VERSION 3.20)\nproject(shop C)\n"
    expect(all({ "CMakeLists.txt": `${project}enable_testing()\n` })).toEqual([
      "cmake -B build; cmake --build build; ctest --test-dir build --output-on-failure",
      "cmake -B build; cmake --build build"
    ])
    expect(all({ "CMakeLists.txt": project })).toEqual(["cmake -B build; cmake --build build"])
    expect(all({ "CMakeLists.txt": "add_library(part)\n" })).toEqual([])
    expect(all({ "meson.build": "project('shop', 'c')\ntest('till', till)\n" })[0]).toBe(
      "meson setup build; meson test -C build"
    )
  })

  it("names the commands of Gradle once, also without a build file at the top", () => {
    const files = ["gradlew", "app/build.gradle.kts"]
    expect(all({ "settings.gradle.kts": "", "app/build.gradle.kts": "" }, files)).toEqual([
      "./gradlew test",
      "./gradlew build"
    ])
    expect(all({ "settings.gradle": "", "build.gradle": "" })).toEqual(["gradle test", "gradle build"])
  })

  it("tells the tests of Ruby, Perl, .NET and Flutter by their files", () => {
    expect(all({ Gemfile: "" }, ["spec/till_spec.rb"])).toEqual(["bundle exec rspec"])
    expect(all({ Gemfile: "" }, ["bin/rails", "test/till_test.rb"])).toEqual(["bin/rails test"])
    expect(all({ Gemfile: "" }, ["lib/till.rb"])).toEqual([])
    expect(all({ cpanfile: "" }, ["t/till.t"])).toEqual(["prove -l -r t"])
    expect(all({ "Shop.sln": "" })).toEqual(["dotnet test", "dotnet build"])
    expect(all({ "pubspec.yaml": "dependencies:\n  flutter:\n    sdk: flutter\n" })[0]).toBe("flutter test")
  })
})

import { expect, it } from "@effect/vitest"
import { usualCommands } from "../../../src/domain/map/UsualCommands.ts"

const runs = (path: string, files: ReadonlyArray<string> = []) =>
  usualCommands({ path, text: "", files: new Set(files) }).map(({ run }) => run)

const all = (texts: Readonly<Record<string, string>>, others: ReadonlyArray<string> = []) => {
  const files = new Set([...Object.keys(texts), ...others])
  return Object.entries(texts).flatMap(([path, text]) =>
    usualCommands({ path, text, files }).map(({ prepare = [], run }) => [...prepare, run].join("; "))
  )
}

const cargo = ["cargo test", "cargo check", "cargo build"]
const go = ["go test ./...", "go vet ./...", "go build ./..."]
it.each([
  ["Cargo.toml", [], cargo],
  ["go.mod", [], go],
  ["server/go.mod", [], go],
  ["api/go.mod", ["go.mod"], go],
  ["mix.exs", [], ["mix test"]],
  ["package.json", [], []],
  ["constructor", [], []],
  ["pom.xml", ["mvnw"], ["./mvnw test"]],
  ["app/build.gradle.kts", ["app/gradlew"], ["./gradlew test", "./gradlew build"]],
  ["pom.xml", ["sub/mvnw"], ["mvn test"]],
  ["crates/a/Cargo.toml", ["Cargo.toml"], []],
  ["x/crates/a/Cargo.toml", ["x/Cargo.toml"], []],
  ["crates/a/Cargo.toml", ["crates/b/Cargo.toml"], cargo]
])("knows those of %s beside %j", (path, files, expected) => expect(runs(path, files)).toEqual(expected))

it("tests all members of a workspace of Rust, and each module of one of Go", () => {
  expect(all({ "Cargo.toml": "[workspace]\nmembers = ['a']\n" })[0]).toBe("cargo test --workspace")
  expect(all({ "go.work": "go 1.24\n\nuse (\n\t./api\n\t./web\n)\nuse ./tool\n" })[0]).toBe(
    "go test ./api/... ./web/... ./tool/..."
  )
  expect(all({ "go.work": "go 1.24\n" })).toEqual([])
})

it("sets up, builds and tests what CMake and Meson build, when there are tests", () => {
  const project = "cmake_minimum_required(VERSION 3.20)\nproject(shop C)\n"
  expect(all({ "CMakeLists.txt": `${project}enable_testing()\n` })).toEqual([
    "cmake -B build; cmake --build build; ctest --test-dir build --output-on-failure",
    "cmake -B build; cmake --build build"
  ])
  expect(all({ "CMakeLists.txt": project })).toEqual(["cmake -B build; cmake --build build"])
  expect(all({ "CMakeLists.txt": "add_library(part)\n" })).toEqual([])
  expect(all({ "meson.build": "project('a', 'c')\ntest('b', b)\n" })[0]).toBe("meson setup build; meson test -C build")
})

it("names the commands of Gradle once, also without a build file at the top", () => {
  const files = ["gradlew", "app/build.gradle.kts"]
  expect(all({ "settings.gradle.kts": "", "app/build.gradle.kts": "" }, files)).toEqual([
    "./gradlew test",
    "./gradlew build"
  ])
  expect(all({ "settings.gradle": "", "build.gradle": "" })).toEqual(["gradle test", "gradle build"])
})

it.each<[Readonly<Record<string, string>>, ReadonlyArray<string>, ReadonlyArray<string>]>([
  [{ Gemfile: "" }, ["spec/till_spec.rb"], ["bundle exec rspec"]],
  [{ Gemfile: "" }, ["bin/rails", "test/till_test.rb"], ["bin/rails test"]],
  [{ Gemfile: "" }, ["lib/till.rb"], []],
  [{ cpanfile: "" }, ["t/till.t"], ["prove -l -r t"]],
  [{ "Shop.sln": "" }, [], ["dotnet test", "dotnet build"]]
])("tells the tests of Ruby, Perl, .NET by their files: %j, %j", (texts, files, expected) => {
  expect(all(texts, files)).toEqual(expected)
})

it("tells the tests of Flutter by what they depend on", () => {
  expect(all({ "pubspec.yaml": "dependencies:\n  flutter:\n    sdk: flutter\n" })[0]).toBe("flutter test")
})

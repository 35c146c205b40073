import { expect, it } from "@effect/vitest"
import { isTestFile } from "../../../src/domain/files/TestFile.ts"

const tests = `src/a.test.ts src/a.spec.jsx src/__tests__/a.js test/a.mjs tests/test_a.py pkg/a_test.py pkg/a_test.go
  spec/a_spec.rb tests/UserTest.php src/test/java/a/SlugTest.java src/test/kotlin/a/SlugTests.kt
  src/test/groovy/a/SlugSpec.groovy`
it.each(tests.split(/\s+/))("a test file is told by its name: %s", (path) => expect(isTestFile(path)).toBe(true))

const others = `src/a.ts src/latest.ts src/contest.py test/data.json src/testing.go a/Latest.java
  src/test/java/a/Fixtures.java`
it.each(others.split(/\s+/))("a test file %s is none", (path) => expect(isTestFile(path)).toBe(false))

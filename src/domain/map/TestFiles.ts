/** Finds the tests of a file: those whose name fits the name of the file, and those that import it. */
import { fileName } from "../files/PathList.ts"
import { folderOf } from "./ProjectCommands.ts"

/**
 * The file name without its extension and without words such as `test`. For a name such as `index.ts`, the name of the
 * folder.
 */
const stemOf = (path: string): string => {
  const stem = fileName(path)
    .replace(/(?:\.d)?\.[^.]+$/, "")
    .replace(/[._-](?:test|spec)$|^test_|(?<=.)(?:Tests?|TestCase|Spec)$/, "")
    .toLowerCase()
  const folder = fileName(folderOf(path).slice(0, -1))
  return /^(?:index|__init__|mod)$/.test(stem) && folder !== "" ? folder.toLowerCase() : stem
}

const foldersIn = (path: string): ReadonlyArray<string> => path.split("/").slice(0, -1)

/**
 * The language of a path, by its ending. All forms of JavaScript and TypeScript are one language, because a test
 * belongs to files of its own language.
 */
const languageOf = (path: string): string => {
  const ending = path.slice(path.lastIndexOf(".") + 1)
  return /^(?:[cm]?[jt]sx?|vue|svelte|astro)$/.test(ending) ? "script" : ending.replace(/^(py|ex)[is]$/, "$1")
}

/**
 * Finds tests by their names: tests in the language of the file that have its name, apart from words such as `test`. Of
 * these tests, returns only those that share the most folders with the file.
 */
export const testsOfName = (path: string, tests: ReadonlyArray<string>): ReadonlyArray<string> => {
  const own = new Set(foldersIn(path))
  const common = (test: string) => foldersIn(test).filter((one) => own.has(one)).length
  const stem = stemOf(path)
  const same = tests.filter((test) => stemOf(test) === stem && languageOf(test) === languageOf(path))
  const most = Math.max(0, ...same.map(common))
  return same.filter((test) => common(test) === most)
}

/** Finds the tests of a file: those whose name fits, and those that import it. */
import { fileName } from "../files/PathList.ts"
import { folderOf } from "./ProjectCommands.ts"

/**
 * The file name without its extension and words such as `test`. For `index.ts` and the like, the name of the folder.
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
 * Returns the tests with the language of the file, and with its name except for words such as `test`. Of these tests,
 * only those that share the most folders with the file are returned.
 */
export const testsOfName = (path: string, tests: ReadonlyArray<string>): ReadonlyArray<string> => {
  const own = new Set(foldersIn(path))
  const common = (test: string) => foldersIn(test).filter((one) => own.has(one)).length
  const stem = stemOf(path)
  const same = tests.filter((test) => stemOf(test) === stem && languageOf(test) === languageOf(path))
  const most = Math.max(0, ...same.map(common))
  return same.filter((test) => common(test) === most)
}

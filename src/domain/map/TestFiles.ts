/** Finds the tests that belong to a file. These are tests whose name fits the file, and tests that import the file. */
import { fileName } from "../files/PathList.ts"
import { folderOf } from "./ProjectCommands.ts"

/**
 * The name of a file without its extension and without words such as `test`. For a file such as `index.ts`, the name of
 * its folder is used.
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

/** The language of a path. A test belongs only to files of its own language. */
const languageOf = (path: string): string => {
  const ending = path.slice(path.lastIndexOf(".") + 1)
  return /^(?:[cm]?[jt]sx?|vue|svelte|astro)$/.test(ending) ? "script" : ending.replace(/^(py|ex)[is]$/, "$1")
}

/**
 * The tests whose name and language fit the file. If several tests fit, only the tests that share the most folders with
 * the file are returned.
 */
export const testsOfName = (path: string, tests: ReadonlyArray<string>): ReadonlyArray<string> => {
  const own = new Set(foldersIn(path))
  const common = (test: string) => foldersIn(test).filter((one) => own.has(one)).length
  const stem = stemOf(path)
  const same = tests.filter((test) => stemOf(test) === stem && languageOf(test) === languageOf(path))
  const most = Math.max(0, ...same.map(common))
  return same.filter((test) => common(test) === most)
}

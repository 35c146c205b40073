/**
 * Which test files belong to a file of the project: those of the same name, and those that import it.
 */
import { fileName } from "../files/PathList.ts"
import { folderOf } from "./ProjectCommands.ts"

const script = /\.[cm]?[jt]sx?$/

/** The name without its ending and without what makes it a test; for `index.ts` and its like that of the folder. */
const stemOf = (path: string): string => {
  const stem = fileName(path)
    .replace(/(?:\.d)?\.[^.]+$/, "")
    .replace(/[._-](?:test|spec)$|^test_|(?<=.)Test$/, "")
    .toLowerCase()
  const folder = fileName(folderOf(path).slice(0, -1))
  return /^(?:index|__init__|mod)$/.test(stem) && folder !== "" ? folder.toLowerCase() : stem
}

const foldersIn = (path: string): ReadonlyArray<string> => path.split("/").slice(0, -1)

/** Files of one language, which test each other. */
const languageOf = (path: string): string => {
  const ending = path.slice(path.lastIndexOf(".") + 1)
  return /^(?:[cm]?[jt]sx?|vue|svelte|astro)$/.test(ending) ? "script" : ending.replace(/^(py|ex)[is]$/, "$1")
}

/** Of the tests those of the same name and language; of several those in the most similar folders. */
export const testsOfName = (path: string, tests: ReadonlyArray<string>): ReadonlyArray<string> => {
  const own = new Set(foldersIn(path))
  const common = (test: string) => foldersIn(test).filter((one) => own.has(one)).length
  const stem = stemOf(path)
  const same = tests.filter((test) => stemOf(test) === stem && languageOf(test) === languageOf(path))
  const most = Math.max(0, ...same.map(common))
  return same.filter((test) => common(test) === most)
}

/** True for tests whose imports are read. */
export const hasImports = (test: string): boolean => script.test(test) || test.endsWith(".py")

const withoutEnding = (path: string): string => path.replace(/\.[A-Za-z]+$/, "").replace(/\/(?:index|__init__)$/, "")

/** A relative path from a file as a path of the project. */
const pathFrom = (file: string, relative: string): string => {
  const parts: Array<string> = []
  for (const part of `${folderOf(file)}${relative}`.split("/")) {
    if (part === "..") parts.pop()
    else if (part !== "." && part !== "") parts.push(part)
  }
  return parts.join("/")
}

const specifiers = /(?:from|import|require|mock)\s*\(?\s*["']([^"'\n]{1,200})["']/g
const pythonImports = /^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+\(?([\w, \t]*)|import[ \t]+([\w.]+))/gm

/** The names of modules that a text of Python imports, and of what it imports from modules, which may be modules too. */
const pythonModules = (text: string): ReadonlySet<string> => {
  const modules = new Set<string>()
  for (const [, from, names = "", plain = ""] of text.matchAll(pythonImports)) {
    modules.add(from ?? plain)
    if (from !== undefined) for (const name of names.split(",")) modules.add(`${from}.${name.trim().split(/\s/)[0]}`)
  }
  return modules
}

/** The files that the text of a test imports, as a question about a path. */
export const importsOf = (test: string, text: string): ((path: string) => boolean) => {
  if (test.endsWith(".py")) {
    const modules = pythonModules(text)
    return (path) => {
      const parts = withoutEnding(path).split("/")
      return parts.some((_, index) => modules.has(parts.slice(index).join(".")))
    }
  }
  const written = [...text.matchAll(specifiers)].map(([, one = ""]) => one)
  const paths = new Set(written.filter((one) => one.startsWith(".")).map((one) => withoutEnding(pathFrom(test, one))))
  /* `@/views/list` starts in a folder that the settings of the project name. */
  const aliased = written.flatMap((one) => /^[@~#]\/(.+)$/.exec(one)?.[1] ?? [])
  return (path) => {
    const wanted = withoutEnding(path)
    return paths.has(wanted) || aliased.some((one) => wanted.endsWith(`/${withoutEnding(one)}`))
  }
}

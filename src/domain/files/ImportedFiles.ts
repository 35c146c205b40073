/** Finds the project files that a script or Python file imports. */
const script = /\.[cm]?[jt]sx?$/

export const hasImports = (path: string): boolean => script.test(path) || path.endsWith(".py")

const withoutEnding = (path: string): string => path.replace(/\.[A-Za-z]+$/, "").replace(/\/(?:index|__init__)$/, "")

const pathFrom = (file: string, relative: string): string => {
  const parts: Array<string> = []
  for (const part of `${file.slice(0, file.lastIndexOf("/") + 1)}${relative}`.split("/")) {
    if (part === "..") parts.pop()
    else if (part !== "." && part !== "") parts.push(part)
  }
  return parts.join("/")
}

const specifiers = /(?:from|import|require|mock)\s*(?:\(\s*)?["']([^"'\n]{1,200})["']/g
const pythonImports = /^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+\(?([\w, \t]*)|import[ \t]+([\w.]+))/gm

/** The modules that a Python text imports. Imported names are included, because they may be modules too. */
const pythonModules = (text: string): ReadonlySet<string> => {
  const modules = new Set<string>()
  for (const [, from, names = "", plain = ""] of text.matchAll(pythonImports)) {
    modules.add(from ?? plain)
    if (from !== undefined) for (const name of names.split(",")) modules.add(`${from}.${name.trim().split(/\s/)[0]}`)
  }
  return modules
}

/** Returns a test that is true for the project paths that `file` imports. `text` is the content of `file`. */
export const importsOf = (file: string, text: string): ((path: string) => boolean) => {
  if (file.endsWith(".py")) {
    const modules = pythonModules(text)
    return (path) => {
      const parts = withoutEnding(path).split("/")
      return parts.some((_, index) => modules.has(parts.slice(index).join(".")))
    }
  }
  const written = [...text.matchAll(specifiers)].map(([, one = ""]) => one)
  const paths = new Set(written.filter((one) => one.startsWith(".")).map((one) => withoutEnding(pathFrom(file, one))))
  /* Only the project's settings say which folder `@` stands for, so only the end of the path is compared. */
  const aliased = written.flatMap((one) => /^[@~#]\/(.+)$/.exec(one)?.[1] ?? [])
  return (path) => {
    const wanted = withoutEnding(path)
    return paths.has(wanted) || aliased.some((one) => wanted.endsWith(`/${withoutEnding(one)}`))
  }
}

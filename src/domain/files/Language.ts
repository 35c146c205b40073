/** Finds the language of a file by its name, for the fence around its text. */

/** Languages whose name is also their extension. */
const ownExtensions =
  "cmake css csv dart elm go java json5 jsx less lua matlab mdx meson nix prisma rst scss svelte swift tsx vue"

const extensionsByLanguage: Readonly<Record<string, string>> = {
  asm: "asm s",
  bash: "bash sh zsh ksh",
  bat: "bat cmd",
  c: "c h",
  clojure: "clj cljs cljc edn",
  cpp: "cc cpp cxx c++ hh hpp hxx h++ ino",
  csharp: "cs csx",
  cuda: "cu cuh",
  diff: "diff patch",
  elixir: "ex exs",
  erlang: "erl hrl",
  fortran: "f f90 f95 f03",
  fsharp: "fs fsi fsx",
  glsl: "glsl vert frag",
  gomod: "mod",
  graphql: "graphql gql",
  groovy: "groovy gradle",
  haskell: "hs lhs",
  hcl: "hcl tf tfvars",
  html: "html htm xhtml",
  ini: "ini cfg conf properties",
  javascript: "js mjs cjs",
  json: "json webmanifest ipynb",
  jsonc: "jsonc code-workspace",
  jsonl: "jsonl ndjson",
  julia: "jl",
  kotlin: "kt kts",
  latex: "tex sty cls bib",
  lisp: "lisp lsp cl el",
  makefile: "mk mak",
  markdown: "md markdown mdown",
  nim: "nim nims",
  objectivec: "m mm",
  ocaml: "ml mli",
  pascal: "pas pp dpr",
  perl: "pl pm t",
  php: "php phtml",
  powershell: "ps1 psm1 psd1",
  protobuf: "proto",
  python: "py pyi pyw",
  r: "r rmd",
  ruby: "rb rake gemspec",
  rust: "rs",
  scala: "scala sc sbt",
  solidity: "sol",
  sql: "sql ddl",
  text: "txt text log",
  toml: "toml lock",
  typescript: "ts mts cts",
  vala: "vala vapi",
  vb: "vb vbs",
  xml: "xml xsd xsl xslt svg plist csproj fsproj vcxproj",
  yaml: "yaml yml",
  zig: "zig zon"
}

/** Whole file names for each language. A whole name has priority over the extension. */
const namesByLanguage: Readonly<Record<string, string>> = {
  bash: ".bashrc .zshrc .profile",
  cmake: "cmakelists.txt",
  dockerfile: "dockerfile containerfile",
  gitignore: ".gitignore .dockerignore .npmignore",
  ini: ".npmrc .editorconfig .gitconfig .gitmodules",
  json: ".prettierrc package-lock.json",
  jsonc: "tsconfig.json",
  makefile: "makefile gnumakefile",
  meson: "meson.build",
  python: "sconstruct",
  ruby: "gemfile rakefile podfile",
  text: "license yarn.lock go.sum gemfile.lock",
  yaml: ".clang-format"
}

const invert = (byLanguage: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(byLanguage).flatMap(([language, names]) =>
      names.split(" ").map((name): [string, string] => [name, language])
    )
  )

const byExtension = new Map([
  ...ownExtensions.split(" ").map((name): [string, string] => [name, name]),
  ...invert(extensionsByLanguage)
])
const byName = invert(namesByLanguage)

/** The fence language of a file; `""` if unknown. Accepts any path, and ignores case. */
export const languageOf = (path: string): string => {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1).toLowerCase()
  const dot = name.lastIndexOf(".")
  const language = byName.get(name) ?? (dot > 0 ? byExtension.get(name.slice(dot + 1)) : undefined)
  return language ?? (name.startsWith("dockerfile.") ? "dockerfile" : "")
}

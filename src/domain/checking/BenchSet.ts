/**
 * The tasks with which models are compared: a small project, prompts to plan, and a plan to carry out. Small enough for a slow
 * machine, and of every kind of work: searching, reading, writing, drawing together.
 */

/** The files of the project, by their paths. */
export const benchFiles: Readonly<Record<string, string>> = {
  "README.md": `# Parcel desk

A small service that takes parcels and tells where they are.

- \`src/server.js\` answers requests.
- \`src/settings.js\` reads the environment.
- \`src/parcels.js\` keeps the parcels in memory.
`,
  "src/settings.js": `/** What the environment sets. */
export const settings = {
  port: Number(process.env.PARCEL_PORT ?? 8042),
  host: process.env.PARCEL_HOST ?? "127.0.0.1",
  token: process.env.PARCEL_TOKEN
}
`,
  "src/parcels.js": `const parcels = new Map()

/** Adds a parcel, or changes where it is. */
export const place = (id, where) => parcels.set(id, { id, where })

/** Where a parcel is; undefined for one that nobody brought. */
export const find = (id) => parcels.get(id)
`,
  "src/server.js": `import { createServer } from "node:http"

createServer((request, response) => {
  const parcel = find(request.url.slice(1))
  response.writeHead(parcel === undefined ? 404 : 200)
  response.end(JSON.stringify(parcel ?? {}))
}).listen(settings.port, settings.host)
`
}

/** Prompts to plan. */
export const benchPrompts: ReadonlyArray<string> = [
  "Which settings does the service read from the environment, and which of them have no default?",
  "Write NOTES.md with one line for each file in src that says what the file is for.",
  "Where is the port of the service defined, and which files use it? Then say what has to change to serve two ports."
]

/** What the plan is for. */
export const benchPrompt = "List the settings of the service, and write them into SETTINGS.md."

/** A valid plan: the same for every model, so that refinements and results can be compared. */
export const benchPlan = `## Original prompt
${benchPrompt}

## Goals / summary
SETTINGS.md lists every setting with its default.

## Tasks
### Task section 1
- **Name** Search 1
- **What is needed** Find every place in src that uses \`settings\`.
- **Skill** search-code
- **Expected output** The lines with file and line.

- **Name** Read 1
- **What is needed** Say which variables of the environment src/settings.js reads, and their defaults.
- **Skill** read-code
- **References** [settings](src/settings.js)
- **Expected output** One line for each setting.

### Task section 2
- **Name** Summary 1
- **What is needed** The text of SETTINGS.md: a table of all settings with their defaults, and which files use them.
- **Skill** summarize
- **References** [Search 1](#search-1-results) [Read 1](#read-1-results)
- **Expected output** A markdown table.

### Task section 3
- **Name** Write 1
- **What is needed** Write the text of the summary into SETTINGS.md.
- **Skill** edit-files
- **References** [Summary 1](#summary-1-results)
- **Expected output** The path of the file.
- **Requires user approval**
`

/** What each task of the plan has to name to be right. */
const settingNames = ["PARCEL_PORT", "PARCEL_HOST", "PARCEL_TOKEN"]
export const benchAnswers: Readonly<Record<string, ReadonlyArray<string>>> = {
  "Search 1": ["src/server.js"],
  "Read 1": settingNames,
  "Summary 1": settingNames,
  "Write 1": settingNames
}

/** The task that has to write it, not only to report it. */
export const benchWriter = "Write 1"

#!/usr/bin/env node
/*
 * Starts task-conductor. Plain old JavaScript, so that an old Node can still say that it is too old. What loads no package of
 * tools starts from the bundle, which is several times as fast; everything else shares `effect` with its plugins.
 */
"use strict"

var parts = process.versions.node.split(".")
var major = Number(parts[0])
var minor = Number(parts[1])
var words = process.argv.slice(2)

/* What makes the current folder a project: src/cli/check/check.ts. */
var markers = [".git", "task-conductor.json", ".task-conductor", ".agents", ".mcp.json", "AGENTS.md"]

/* Whether a check may look at a project. A flag of yes or no takes the next word when that is such a value. */
function checksProject(flags) {
  var denied = flags.indexOf("--no-project")
  if (denied !== -1 && !/^(true|yes|on|1|y|false|no|off|0|n)$/.test(flags[denied + 1])) return false
  return (
    flags.some(function (word) {
      return /^(--project(=|$)|-p)/.test(word)
    }) ||
    markers.some(function (name) {
      return require("fs").existsSync(name)
    })
  )
}

/* Whether a file of settings may name packages of tools; an escape in its text may hide the word. */
function namesPlugins(file) {
  try {
    var fs = require("fs")
    return !fs.statSync(file).isFile() || /plugins|\\/.test(fs.readFileSync(file, "utf8"))
  } catch (error) {
    return error.code !== "ENOENT" && error.code !== "ENOTDIR"
  }
}

function systemHome() {
  try {
    return require("os").userInfo().homedir
  } catch (error) {
    return error && undefined
  }
}

/* The flags of one letter that do not name a project: model, file, output, yes, quiet. */
var otherLetters = ["-m", "-f", "-o", "-y", "-q"]

/* The project folders that the flags name; nothing when they may name a package of tools, or are not understood. */
function projectsOf(flags) {
  var folders = ["."]
  for (var at = 0; at < flags.length; at += 1) {
    var named = /^(?:--project|-p)(?:=([^]*))?$/.exec(flags[at])
    if (named) folders.push(named[1] === undefined ? flags[at + 1] || "." : named[1])
    else if (/^(--pl|--proj)/.test(flags[at])) return undefined
    else if (/^-[^-]/.test(flags[at]) && otherLetters.indexOf(flags[at]) === -1) return undefined
  }
  return folders
}

function mayHavePlugins(flags) {
  var projects = projectsOf(flags)
  if (projects === undefined) return true
  var homes = [process.env.HOME, process.env.USERPROFILE, systemHome()]
  var folders = [process.env.XDG_CONFIG_HOME].concat(
    homes.map(function (home) {
      return home && home + "/.config"
    })
  )
  var files = projects.map(function (folder) {
    return folder + "/task-conductor.json"
  })
  return (
    files.some(namesPlugins) ||
    folders.some(function (folder) {
      return folder && namesPlugins(folder + "/task-conductor/config.json")
    })
  )
}

/* What looks at saved runs only, and what loads packages of tools when the settings or a flag of the person name any. */
var withoutTools = ["help", "runs", "show", "report"]
var withTools = ["run", "plan", "ask", "check", "tools", "permissions", "skills", "doctor", "models", "init"].concat([
  "refine",
  "execute",
  "iterate"
])

var end = words.indexOf("--")
var flags = end === -1 ? words : words.slice(0, end)
var asksForHelp = words.length === 0 || flags.indexOf("--help") !== -1 || flags.indexOf("-h") !== -1

/* The bundle of help and of checks without a project is small; the one of all commands holds these, too. */
function startOf() {
  if (words.length === 0) return "cli-bundle"
  if (asksForHelp || words[0] === "help") return "quick-bundle"
  if (words[0] === "check" && !checksProject(flags)) return "quick-bundle"
  if (withoutTools.indexOf(words[0]) !== -1) return "cli-bundle"
  return withTools.indexOf(words[0]) !== -1 && !mayHavePlugins(flags) ? "cli-bundle" : "library"
}

/*
 * Node compiles a file for its cache once, with the functions that this process has called. A cache for each start holds what
 * that start calls; a common one would hold what the first of all starts called, and the others compile the rest each time.
 */
function compileCache() {
  var isCommand = withoutTools.concat(withTools).indexOf(words[0]) !== -1
  var start = asksForHelp ? "help" : isCommand ? words[0] : "other"
  if (start === "check" && checksProject(flags)) start = "check-project"
  return require("path").join(require("os").tmpdir(), "node-compile-cache", "task-conductor-" + start)
}

if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    "task-conductor needs Node 22.19 or newer, this is Node " +
      process.versions.node +
      ". Get one from https://nodejs.org.\n"
  )
  process.exitCode = 2
} else if (words.length === 1 && ["--version", "-v", "version"].indexOf(words[0]) !== -1) {
  process.stdout.write(require("../package.json").version + "\n")
} else {
  require("module").enableCompileCache(compileCache())
  import("../dist/" + startOf() + "/main.js").catch(function (error) {
    if (
      error &&
      error.code === "ERR_MODULE_NOT_FOUND" &&
      /dist.(quick-bundle|cli-bundle|library).main\.js/.test(String(error.message))
    ) {
      process.stderr.write('task-conductor is not built yet. Run "npm run build" in its folder.\n')
    } else {
      process.stderr.write("task-conductor cannot start: " + (error && error.message) + "\n")
    }
    process.exitCode = 2
  })
}

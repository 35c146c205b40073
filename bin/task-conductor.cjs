#!/usr/bin/env node
/*
 * Starts task-conductor: from a bundle that holds `effect`, which takes half the time, or where plugins share the `effect` that is
 * installed. Plain old JavaScript, so that an old Node can still say that it is too old.
 */
"use strict"

var parts = process.versions.node.split(".").map(Number)
var words = process.argv.slice(2)

/* Whether a file of settings may name packages of tools; an escape in its text may hide the word. One that is no file, or too large to be
   settings, is refused later, in words. */
function namesPlugins(file) {
  try {
    var fs = require("fs")
    var info = fs.statSync(file)
    return !info.isFile() || info.size > 1048576 || /plugins|\\/.test(fs.readFileSync(file, "utf8"))
  } catch (error) {
    return ["ENOENT", "ENOTDIR", "ENAMETOOLONG"].indexOf(error.code) === -1
  }
}

/* The home folders that the environment and the system name. */
function homes() {
  try {
    return [process.env.HOME, process.env.USERPROFILE, require("os").userInfo().homedir]
  } catch (error) {
    return error && [process.env.HOME, process.env.USERPROFILE]
  }
}

/* Any word may be the project of the line. Saved runs, those of a cluster and editors bring settings that are not read here. What a
   cluster needs is a package as well. */
function mayLoadPlugins() {
  var projects = words.concat(".").map(function (word) {
    return word.slice(word.indexOf("=") + 1) + "/task-conductor.json"
  })
  var own = homes().map(function (home) {
    return home && home + "/.config"
  })
  var personal = own.concat(process.env.XDG_CONFIG_HOME).map(function (folder) {
    return folder && folder + "/task-conductor/config.json"
  })
  return (
    /plugin|(^|\n)(acp|resume|fork|replay|worker|attach|cancel|--cluster.*)(\n|$)/.test(words.join("\n")) ||
    projects.concat(personal.filter(Boolean)).some(namesPlugins)
  )
}

if (parts[0] < 22 || (parts[0] === 22 && parts[1] < 19)) {
  process.stderr.write(
    "task-conductor needs Node 22.19 or newer, this is Node " +
      process.versions.node +
      ". Get one from https://nodejs.org.\n"
  )
  process.exitCode = 2
} else if (words.length === 1 && ["--version", "-v", "version"].indexOf(words[0]) !== -1) {
  process.stdout.on("error", function (error) {
    process.stderr.write("The version could not be written to stdout (" + error.code + ").\n")
    process.exitCode = 1
  })
  process.stdout.write(require("../package.json").version + "\n")
} else {
  /* The places of an internal error are then those of the sources; reading the maps takes time. */
  if (process.env.TASK_CONDUCTOR_DEBUG === "1") process.setSourceMapsEnabled(true)
  import("../dist/" + (mayLoadPlugins() ? "library" : "cli") + "/main.js").catch(function (error) {
    var isUnbuilt = error && error.code === "ERR_MODULE_NOT_FOUND" && /dist.(cli|library).main\.js/.test(error.message)
    process.stderr.write(
      isUnbuilt
        ? 'task-conductor is not built yet. Run "npm run build" in its folder.\n'
        : "task-conductor cannot start: " + (error && error.message) + "\n"
    )
    process.exitCode = 2
  })
}

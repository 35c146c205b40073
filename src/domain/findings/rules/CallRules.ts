/**
 * The rules of the families `tool-calls` and `answers`. Each family is in the order of its page.
 */
import { defineFamily } from "./Rule.ts"

const aCall = '{ "uid": "call-1", "name": "...", "arguments": { ... } }'

export const toolCallsRules = defineFamily({
  family: "tool-calls",
  title: "Tool calls",
  about: "The JSON of a call, and whether the tools of the run can do what it says.",
  rules: {
    "tool-call-too-large": {
      title: "Tool call too large",
      why: "A call above the limit is not parsed.",
      fix: "Make the arguments smaller."
    },
    "tool-call-too-deep": {
      title: "Tool call nested too deeply",
      why: "Values nested this deeply come from an attack or from a model in a loop.",
      fix: "Write a flat arguments object."
    },
    "tool-call-json": {
      title: "Tool call is not JSON",
      why: "What cannot be read is never guessed.",
      fix: `Write one JSON object with double quotes: ${aCall}.`
    },
    "tool-call-truncated": {
      title: "Tool call breaks off",
      why: "Closing what broke off would invent arguments.",
      fix: "Write the whole JSON object, with all closing quotes and braces."
    },
    "tool-call-not-object": {
      title: "Tool call is not an object",
      why: "A call is one JSON object.",
      fix: `Write one JSON object: ${aCall}.`
    },
    "tool-call-key-duplicate": {
      title: "Key given twice",
      why: "Only one of the values can be meant.",
      fix: "Keep one of them."
    },
    "tool-call-key-forbidden": {
      title: "Forbidden key",
      why: "The key would change the object itself.",
      fix: "Leave the key out."
    },
    "tool-call-key-unknown": {
      title: "Unknown key beside arguments",
      why: "It may be a misplaced argument.",
      fix: 'Put parameters of the tool into "arguments" and remove every other key.'
    },
    "tool-call-number": {
      title: "Number out of range",
      why: "It would be changed by reading it.",
      fix: "Write a smaller number, or a string."
    },
    "tool-call-name": {
      title: "Tool call without name",
      why: "Nothing says which tool is meant.",
      fix: 'Write the name of the tool under "name".'
    },
    "tool-call-arguments": {
      title: "Arguments are not an object",
      why: "Tools take named arguments.",
      fix: 'Write "arguments" as a JSON object with the names of the parameters as keys; {} when there are none.'
    },
    "tool-call-misplaced": {
      title: "Tool call outside Tool Calls",
      why: "Blocks under Task stay with the task and never run.",
      fix: 'Put every call under the heading "## Tool Calls".'
    },
    "tool-call-repaired": {
      severity: "note",
      title: "JSON fixed",
      why: "Small mistakes in the JSON left only one meaning.",
      fix: "Write strict JSON."
    },
    "tool-call-split": {
      severity: "note",
      title: "Several calls in one block",
      why: "One block holds one call.",
      fix: "Write one call per code block."
    },
    "tool-call-unfenced": {
      severity: "note",
      title: "Tool call without a fence",
      why: "It stood as plain text.",
      fix: "Put each call into a code block of its own."
    },
    "tool-call-alias": {
      severity: "note",
      title: "Key with another name",
      why: "A known other name of uid, name or arguments.",
      fix: "Use the keys `uid`, `name` and `arguments`."
    },
    "tool-call-syntax": {
      severity: "note",
      title: "Call in the syntax of another program",
      why: "Tags say which tool is called with which arguments.",
      fix: "Write each call as one JSON object in a code block of its own."
    },
    "tool-call-flat": {
      severity: "note",
      title: "Arguments beside the name",
      why: "Without arguments, the other keys can be nothing else.",
      fix: 'Put the parameters of the tool into "arguments".'
    },
    "tool-call-content": {
      severity: "note",
      title: "Content in the block after the call",
      why: "Exactly one call lacks its content, and exactly one block follows it.",
      fix: 'Write the content of the file as text under "content".'
    },
    "tool-call-uid": {
      severity: "note",
      title: "Uid assigned by the host",
      why: "It was missing, given twice, or not a string.",
      fix: "Give every call a uid of its own."
    },
    "tool-call-extra": {
      severity: "note",
      title: "Key ignored",
      why: "A remark that no tool reads.",
      fix: "Write only `uid`, `name` and `arguments`."
    },
    "tool-call-missing": {
      title: "Nothing to work on",
      why: "A task without a call or a reference has nothing to work on.",
      fix: "Add at least one tool call under `## Tool Calls`."
    },
    "tool-call-unfit": {
      title: "Call that would fail",
      why: "A call that changes something is tried against the project before anybody is asked about it.",
      fix: "Change the arguments so that they fit what is there."
    },
    "tool-call-repeated": {
      title: "Same call repeated",
      why: "Repeating a call gives nothing new.",
      fix: "Make each call once.",
      help: "limits.identicalCalls says how often the same call may be made."
    },
    "tool-unknown": {
      title: "Unknown tool",
      why: "Only tools of the run can be called.",
      fix: "Use one of the tools that the skill may use.",
      help: '"task-conductor tools list" shows the tools that there are.'
    },
    "tool-not-allowed": {
      title: "Tool not allowed for the skill",
      why: "A skill names the tools that it may use.",
      fix: "Use one of the tools that the skill may use."
    },
    "tool-call-limited": {
      title: "Call that the skill does not allow",
      why: "The skill allows the tool only for certain commands, files or sites.",
      fix: "Make a call that the skill allows, or remove it."
    },
    "argument-missing": {
      title: "Required argument missing",
      why: "A missing argument is never invented.",
      fix: "Add the argument."
    },
    "argument-invalid": {
      title: "Argument does not fit",
      why: "The tool takes values of another kind.",
      fix: "Write a value that fits the parameter."
    },
    "argument-unknown": {
      title: "Unknown argument",
      why: "No parameter of the tool takes it.",
      fix: "Remove it, or use the name of a parameter."
    },
    "argument-coerced": {
      severity: "note",
      title: "Text instead of a number or boolean",
      why: "The text has one meaning as a value of the type that the parameter asks for.",
      fix: "Write numbers and booleans without quotes."
    },
    "tool-renamed": {
      severity: "note",
      title: "Tool in another spelling",
      why: "Only one tool has these letters.",
      fix: "Write the name as the list of tools has it."
    },
    "argument-renamed": {
      severity: "note",
      title: "Argument in another spelling",
      why: "Only one parameter that the call does not have yet can be meant.",
      fix: "Write the names of arguments as the tool has them."
    },
    "argument-remark": {
      severity: "note",
      title: "Reason among the arguments",
      why: "The tool has no such argument, and a reason changes nothing of what it does.",
      fix: "Leave it out, or write it beside the calls."
    },
    "argument-dropped": {
      severity: "note",
      title: "Null or empty text for an optional argument",
      why: "It says the same as leaving the argument out.",
      fix: "Leave the argument out."
    }
  }
})

export const answersRules = defineFamily({
  family: "answers",
  title: "Answers",
  about: "Answers of a model that cannot be read at all.",
  rules: {
    "answer-empty": {
      title: "Empty answer",
      why: "There is nothing to read.",
      fix: "Write the document that is asked for."
    },
    "answer-cut-off": {
      title: "Answer cut off",
      why: "It ran into the length limit, and what is missing cannot be guessed.",
      fix: "Answer shorter.",
      help: "Ask for less at once, or raise contextWindow."
    },
    "answer-loop": {
      title: "Answer repeats itself",
      why: "A model in a loop does not recover, so the answer is stopped.",
      fix: "Write everything once, and stop."
    },
    "answer-shape": {
      title: "Document does not begin",
      why: "So much text stands before it that it would no longer fit, or the answer is the document of another stage.",
      fix: "Begin with the first heading of the document."
    }
  }
})

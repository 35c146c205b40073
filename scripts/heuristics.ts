/**
 * The constants of heuristics (judging, cutting, asking again): one row each, with reason and basis. Values are read
 * from the source. A test finds missing constants.
 */
import { readFileSync } from "node:fs"
import { valueOf } from "./fixedLimits.ts"

/** The basis of a value: a table of docs/internals/figures.md, a decision, or judgement. */
type Basis = "real work" | "makespan" | "decision 090" | "decision 092" | "judgement"

interface Heuristic {
  readonly area: string
  /** The constant, `file#name` below `src`. */
  readonly from: string
  readonly unit: string
  readonly decides: string
  /** What a smaller and a larger value would make worse. */
  readonly why: string
  readonly basis: Basis
}

const heuristicsOf =
  (area: string, folder: string) =>
  (name: string, unit: string, decides: string, why: string, basis: Basis = "judgement"): Heuristic => ({
    area,
    from: `${folder}${name}`,
    unit,
    decides,
    why,
    basis
  })

const turns = heuristicsOf("turns", "services/agent/")
const firstMessage = heuristicsOf("turns", "services/pipeline/")
const budgets = heuristicsOf("budgets of turns", "domain/documents/TurnBudgets.ts#")
const reports = heuristicsOf("reports", "domain/documents/")
const compaction = heuristicsOf("compaction", "domain/documents/CompactedTurns.ts#")
const compactedFiles = heuristicsOf("compaction", "domain/documents/CompactedFiles.ts#")
const calls = heuristicsOf("compaction", "domain/models/CallLine.ts#")
const review = heuristicsOf("self-review", "domain/documents/SelfReview.ts#")
const ran = heuristicsOf("checks", "domain/checks/RanTests.ts#")
const relations = heuristicsOf("self-review", "domain/files/CodeRelations.ts#")
const prefetch = heuristicsOf("prefetch", "domain/models/PrefetchedParts.ts#")
const remaining = heuristicsOf("remaining occurrences", "domain/files/RemainingOccurrences.ts#")
const evidence = heuristicsOf("evidence", "domain/documents/Evidence.ts#")
const terms = heuristicsOf("excerpts", "domain/excerpts/SearchTerms.ts#")
const scores = heuristicsOf("excerpts", "domain/excerpts/Scores.ts#")
const excerpts = heuristicsOf("excerpts", "domain/excerpts/TextExcerpt.ts#")
const lines = heuristicsOf("excerpts", "domain/excerpts/")
const gate = heuristicsOf("permissions", "domain/models/SeenTexts.ts#")
const clashes = heuristicsOf("clashes", "services/pipeline/JoinChanges.ts#")
const slots = heuristicsOf("model calls", "services/models/ModelSlots.ts#")
const edits = heuristicsOf("edits", "domain/files/")

export const heuristics: ReadonlyArray<Heuristic> = [
  budgets(
    "warnedTurns",
    "answers",
    "when the model learns how many answers are left",
    "Later a change and its report do not fit; sooner the model hurries."
  ),
  heuristicsOf("turns", "services/models/")(
    "ResultImages.ts#mostImages",
    "images",
    "images of results in a message",
    "Small windows are full with more; with fewer, two states of a page cannot be compared."
  ),
  turns(
    "hooks/SelfReview.ts#leastAnswers",
    "answers",
    "answers left that a self-review needs",
    "A test that fails needs an answer that repairs it, and a report."
  ),
  turns(
    "hooks/Repeats.ts#acrossCompactions",
    "times",
    "repetitions of a call whose output a compaction dropped, as a multiple of limits.identicalCalls",
    "Fewer forbid what the model is told to do; more let it go in circles."
  ),
  firstMessage(
    "Prefetch.ts#windowShares",
    "of the window",
    "the best and the second file of the prefetch",
    "More leaves no room for the turns; less shows no whole function.",
    "decision 090"
  ),
  heuristicsOf("budgets of turns", "domain/models/PromptSize.ts#")(
    "largestUnasked",
    "tokens",
    "the window up to which unasked parts grow",
    "More shows what a task in a large window does not use; less shows no whole function.",
    "decision 090"
  ),
  budgets(
    "filesAtFirst",
    "files",
    "changed files that fit the turns of every task",
    "Features over eight files ended for want of turns; a fix changes two or three."
  ),
  budgets(
    "turnsForFile",
    "turns",
    "more turns for each further changed file",
    "One looks at the file, one corrects it. More lets work go on that has lost its way."
  ),
  budgets(
    "mostTurnsGrown",
    "turns",
    "upper bound of the turns of a task",
    "The conversation has been compacted several times by then; a person should divide the task."
  ),
  budgets(
    "compactAt",
    "of what a prompt may have",
    "prompt size that starts a compaction",
    "Later no reply fits; sooner prefixes that a server has cached are lost.",
    "real work"
  ),
  budgets("compactTo", "of the window", "prompt size after a compaction", "More compacts again at once.", "real work"),
  budgets("replyShare", "of what is free", "size of a reply", "More leaves no room for the next turn.", "real work"),
  budgets("leastLines", "lines", "smallest budget that is announced", "The next compaction makes room."),
  budgets(
    "mostLines",
    "lines",
    "largest budget that is announced",
    "More is read without need; less divides a long file.",
    "decision 090"
  ),
  budgets(
    "lineCharacters",
    "characters",
    "assumed line length in an announced budget",
    "Source code has about as many, with its number."
  ),
  budgets("leastMeasured", "lines", "shown lines from which the line length is measured", "Fewer may all be short."),
  budgets(
    "leastLine",
    "characters",
    "smallest measured line length",
    "A list of short words would announce more than fits of the next file."
  ),
  budgets(
    "mostOver",
    "times",
    "shown lines, compared with announced ones",
    "Less cuts the last lines of what was asked for; more makes the number wrong."
  ),
  budgets(
    "mostStretch",
    "times",
    "larger reply for announced outputs",
    "Less shows fewer lines than were announced; more leaves no room for the next turn."
  ),
  budgets(
    "besideOutputs",
    "characters",
    "size of an answer and the frame of its reply",
    "Less announces more than fits."
  ),
  budgets(
    "enoughLines",
    "lines",
    "a reply that fits so many lines causes no early compaction",
    "Less shows no long function beside its test; more compacts large windows again and again."
  ),
  budgets(
    "worthwhile",
    "times",
    "how much more output an early compaction must show",
    "Less compacts for a few lines."
  ),
  reports(
    "ReportIssues.ts#mostRejectedReports",
    "times",
    "rejected reports while a check newly fails",
    "A model that failed twice to repair it would use up its turns."
  ),
  reports(
    "UselessAnswers.ts#mostUselessAnswers",
    "answers",
    "useless answers in a row until the model is given up",
    "The third is the first that was sampled differently and bound to a form."
  ),
  heuristicsOf("turns", "domain/documents/OpenFiles.ts#")(
    "mostOpen",
    "files",
    "named files without a call that a reply lists",
    "More is not read, and stands in each reply."
  ),
  reports(
    "HalfPlan.ts#mostCharacters",
    "characters",
    "longest line that can show an unfinished plan",
    "A paragraph may speak of further tasks."
  ),
  heuristicsOf("compaction", "domain/documents/CompactedOutputs.ts#")(
    "leastPart",
    "characters",
    "smallest part of an output",
    "A few lines of each output are of no use.",
    "real work"
  ),
  compactedFiles("leastDiff", "characters", "smallest budget for diffs", "The model would make its changes again."),
  compaction(
    "leastChecks",
    "characters",
    "smallest budget for outputs of checks",
    "The message of one failure has about as many."
  ),
  budgets(
    "newestShare",
    "of the budget",
    "outputs of the last answer after a compaction",
    "Less, and the model asks for them again."
  ),
  heuristicsOf("compaction", "domain/documents/ChangedFunctions.ts#")(
    "longestFunction",
    "lines",
    "longest changed function shown whole",
    "A longer one takes the room of what was read last; a diff shows it."
  ),
  heuristicsOf("compaction", "domain/documents/ChangedFiles.ts#")(
    "mostNames",
    "names",
    "functions and types named for a changed file",
    "A change of more is read in its diff."
  ),
  heuristicsOf("excerpts", "domain/models/OutputCut.ts#")(
    "leastLicence",
    "lines",
    "shortest licence comment that is omitted if space is short",
    "A shorter one costs no more than the note about it."
  ),
  compaction("headings", "characters", "size of headings and fences", "Less makes the summary longer than its budget."),
  compactedFiles(
    "mostImports",
    "lines",
    "imports shown of a file while a check fails",
    "More takes the room of the changed places."
  ),
  compactedFiles(
    "radii",
    "lines",
    "lines around a changed place, in steps while they fit",
    "Each place gets the same before one gets more."
  ),
  compactedFiles(
    "smallDiff",
    "characters",
    "largest diff shown of a file that the last answer did not change",
    "Larger ones take the room of outputs."
  ),
  calls("mostNamed", "files", "files whose unchanged matches are named", "More costs lines of outputs."),
  calls("mostNumbers", "lines", "unchanged matches of a file that are named by number", "The same."),
  review(
    "trivialLines",
    "lines",
    "largest change without a self-review",
    "The question would cost more than the change."
  ),
  review("mostPlaces", "lines", "related lines in a question", "More is not read."),
  review("mostOfFile", "lines", "related lines of one file", "Places in several files say more."),
  review("mostBranches", "lines", "other branches beside the change", "The nearest are the most alike."),
  review(
    "mostNames",
    "declarations",
    "changed declarations whose users are searched for",
    "A larger change touches everything."
  ),
  ran("longestLine", "characters", "longest output line that can name a test", "They are data that a test prints."),
  ran("mostNamed", "tests", "new tests named", "The others are counted."),
  relations(
    "mostHolders",
    "files",
    "files with a name, above which it is skipped",
    "It is a common word, and reading takes time."
  ),
  relations("mostUses", "lines", "uses of a name examined in one file", "The self-review names two of a file."),
  relations(
    "mostChangedLines",
    "lines",
    "changed lines whose declarations are searched for",
    "More are in the same declarations, or in too many."
  ),
  relations(
    "mostCharacters",
    "characters",
    "total size of the files searched for the names of a change",
    "Reading takes time, in which nothing else happens."
  ),
  relations("mostUsers", "files", "users of a name, above which it counts as common", "It is a word of the project."),
  review("placeLength", "characters", "shown length of a related line", "The line is found by its number."),
  prefetch(
    "mostHolders",
    "files",
    "files with uses of a name or with hits, above which they count for none",
    "It says little about any of them.",
    "decision 090"
  ),
  prefetch(
    "leastParts",
    "characters",
    "smallest budget for parts around the hits of the first search",
    "It shows no function."
  ),
  heuristicsOf("prefetch", "domain/excerpts/PathRank.ts#")(
    "leastScore",
    "words",
    "words of the task in the path of a file that is meant",
    "One word is in many paths."
  ),
  heuristicsOf("prefetch", "domain/excerpts/PathRank.ts#")(
    "leastLead",
    "times",
    "lead of this path over the next one",
    "Else it is not clear which file is meant."
  ),
  prefetch(
    "mostDeclaring",
    "files",
    "files that declare a name, above which it counts for none",
    "Which of them is meant is unknown."
  ),
  heuristicsOf("excerpts", "domain/excerpts/CalledDeclarations.ts#")(
    "mostDeclarations",
    "declarations",
    "declarations of a called name, above which it is not shown",
    "Which of them is called is unknown."
  ),
  prefetch(
    "mostLines",
    "lines",
    "declarations or uses of a text in a file, above which it counts for none",
    "Which of them matters is unknown."
  ),
  remaining("mostPlaces", "places", "places named of one name", "The model searches for the rest."),
  remaining("mostNames", "names", "removed names searched for", "More names match everywhere."),
  remaining("mostLines", "lines", "removed lines searched for", "More lines match everywhere."),
  remaining("shownLength", "characters", "shown length of a place", "The line is found by its number."),
  evidence("reach", "characters", "distance between a link and its quotation", "Further text is about something else."),
  evidence("nearby", "lines", "distance at which a unique name corrects a link", "Further away it is another one."),
  evidence(
    "leastJoined",
    "characters",
    "shortest quotation searched for across lines",
    "A few characters stand anywhere."
  ),
  evidence("mostJoined", "lines", "lines that a quotation may join", "More would be a paragraph of a paraphrase."),
  evidence("leastQuote", "characters", "shortest quotation", "They stand on most lines."),
  evidence("leastProse", "characters", "shortest quoted prose that counts as a line", "Fewer are a name or a term."),
  evidence(
    "leastCode",
    "characters",
    "shortest quoted code that counts as a line",
    "Fewer are an expression that stands on several lines."
  ),
  terms("mostWords", "words", "words of a task that are searched for", "A text of more words matches everywhere."),
  terms("mostNamed", "names", "names, and strings, of a task that are searched for", "The same."),
  terms("mostMatches", "lines", "lines that words may match", "More blocks would not fit."),
  scores(
    "scoreParts.prompt",
    "of the weight",
    "a term that only the prompt names",
    "The task says what is needed now."
  ),
  scores(
    "scoreParts.form",
    "of the weight",
    "a name recognized by its form alone",
    "A word with a hump may be a product."
  ),
  scores(
    "termScores.literal",
    "points",
    "a quoted string, shared by its lines",
    "An exact string is the surest sign, before a declaration."
  ),
  scores("termScores.declared", "points", "the declaration of a name", "It says more than each of its uses."),
  scores(
    "termScores.inNamed",
    "points",
    "bonus inside a declaration that is named too",
    "`Schema.validate` means that one of several."
  ),
  scores(
    "termScores.aroundLiteral",
    "points",
    "bonus around a line with a quoted string",
    "The function that prints the message."
  ),
  scores("termScores.word", "points", "a word of the task", "It stands in more lines than a name."),
  scores("termScores.use", "points", "a use of a name", "Declaration first, but more than a word."),
  scores("scoreParts.comment", "of the score", "a comment line", "Comments repeat the words of what they describe."),
  terms(
    "leastScore",
    "points",
    "score from which word matches show blocks without an outline",
    "One rare word is worth a point."
  ),
  terms("leastPart", "of the best", "lowest score of a shown block", "They share only common words with the task."),
  terms(
    "leastBeside",
    "points",
    "lowest score of a block beside a place that the task means",
    "That place has the room first."
  ),
  terms("leastStem", "characters", "shortest stem; shorter ones are whole words", "They begin other words as well."),
  terms(
    "mostDeclarations",
    "declarations",
    "declarations of a name that still count as its places",
    "More are constructors.",
    "real work"
  ),
  terms("mostPlaces", "lines", "lines with a quoted string that still count as its places", "In more it is no place."),
  excerpts("longestPart", "lines", "longest block that only words match", "More takes the room of others."),
  excerpts("mostMeant", "places", "places that a task can mean", "More have no room for what is around them."),
  excerpts("longestWhole", "lines", "longest declaration shown whole", "A longer one is shown by the blocks in it."),
  heuristicsOf("excerpts", "domain/files/CommentLines.ts#")(
    "leastComment",
    "lines",
    "shortest comment that is separated from its code",
    "A note without them costs as much."
  ),
  excerpts(
    "besideOutline",
    "of what is left",
    "budget for blocks beside the outline",
    "The outline only says where to read on."
  ),
  lines(
    "Packing.ts#longestLine",
    "characters",
    "longest line that is not cut",
    "Minified lines would take all the room."
  ),
  lines(
    "Packing.ts#beforeText",
    "characters",
    "text shown before the match in a cut line",
    "What is looked for is seen with its beginning."
  ),
  lines("Packing.ts#noteSlack", "characters", "extra length of a note", "Less makes a text longer than its budget."),
  lines("EnclosingLines.ts#around", "lines", "lines on each side, outside of blocks", "About a paragraph."),
  lines(
    "EnclosingLines.ts#nearLines",
    "lines",
    "lines on each side, where neither declaration nor block fits",
    "A statement has about as many."
  ),
  lines("EnclosingLines.ts#mostNames", "names", "enclosing declarations named", "The innermost ones tell them apart."),
  lines(
    "EnclosingLines.ts#longestName",
    "characters",
    "shown length of a heading",
    "The rest does not tell headings apart."
  ),
  gate(
    "leastWord",
    "characters",
    "shortest word of an address that counts",
    "They stand in most texts.",
    "decision 092"
  ),
  gate("leastPiece", "characters", "shortest encoded piece that counts", "They stand in most texts.", "decision 092"),
  clashes(
    "mostClashes",
    "times",
    "clashes of a task until it fails",
    "Two tasks would follow one another without end."
  ),
  slots(
    "toolsTake",
    "ms",
    "how long a slot waits for the next turn of its task",
    "Without it a later step takes the slot; most tools take less.",
    "makespan"
  ),
  edits(
    "TextEdit.ts#alike",
    "of the characters",
    "equal characters that make lines alike",
    "Below, another line is shown as the one that was meant."
  ),
  edits(
    "TextEdit.ts#contextLines",
    "lines",
    "lines around the nearest place in the reply to a wrong edit",
    "Enough to copy the text."
  ),
  edits("TextEdit.ts#minKnown", "characters", "shortest line that identifies a place", "Brackets stand anywhere."),
  edits("EditPlaces.ts#minVisible", "characters", "visible text that an ellipsis needs", "Fewer stand anywhere."),
  edits("NewText.ts#leastLines", "lines", "lines that a new text may lose", "A small file may be written anew."),
  edits(
    "NewText.ts#mostKept",
    "of its lines",
    "kept lines below which a new text counts as a loss",
    "A text that keeps more has lost little."
  )
]

const numbersIn = (value: string): string => value.replaceAll(/[[\]]/g, "").replaceAll(/(?<=\d)_(?=\d)/g, "")

const basisText: Readonly<Record<Basis, string>> = {
  "real work": "[real work](figures.md#real-work)",
  makespan: "[makespan](figures.md#waiting-for-the-model)",
  "decision 090": "[090](../decisions/090-a-task-begins-with-what-its-words-name.md)",
  "decision 092": "[092](../decisions/092-a-url-made-from-what-was-read-is-asked-about.md)",
  judgement: "judgement"
}

/** The value of a constant, or of a table entry (`file#table.entry`), in the source. */
const valueAt = (from: string): string => {
  const [file = "", name = ""] = from.split("#")
  const [table = "", entry] = name.split(".")
  if (entry === undefined) return valueOf(from)
  const text = readFileSync(new URL(`../src/${file}`, import.meta.url), "utf8")
  const value = new RegExp(String.raw`const ${table} = \{[^}]*?\b${entry}: ([\d.]+)`).exec(text)?.[1]
  if (value === undefined) throw new Error(`There is no ${name} in src/${file}; see scripts/heuristics.ts.`)
  return value
}

const row = ({ basis, decides, from, unit }: Heuristic): string =>
  `| \`${from.split("#")[1]}\` | ${numbersIn(valueAt(from))} ${unit} | ${decides} | ${basisText[basis]} |`

const areaTable = (area: string): string =>
  [
    `## ${area}`,
    "",
    "| constant | value | decides | chosen by |",
    "|---|---:|---|---|",
    ...heuristics.filter((each) => each.area === area).map(row)
  ].join("\n")

/** The page docs/internals/heuristics.md. The reason for each value stands in this file alone. */
export const heuristicsPage = (): string =>
  [
    "# Heuristics",
    [
      "These constants decide what a model sees, when it is asked again, and what its words count for. A wrong value gives worse work, not a",
      "wrong result. The last column says what chose the value: a figure, a decision, or judgement. `scripts/heuristics.ts` has the reason",
      "for each. A test on each side of a value fails when it changes; [the mutation run](figures.md#decisions-that-tests-hold) says how",
      "many do."
    ].join("\n"),
    ...[...new Set(heuristics.map(({ area }) => area))].map(areaTable)
  ].join("\n\n")

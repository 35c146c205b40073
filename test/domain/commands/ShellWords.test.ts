/**
 * Commands that models write for a shell, and the call that they are answered with.
 */
import { assert, describe, it } from "@effect/vitest"
import { missingProgramAdvice, shellProblem, unreplacedWords } from "../../../src/domain/commands/ShellWords.ts"

const sh = (text: string) => `Call ${JSON.stringify(["sh", "-c", text])}`

/** One word with blanks, for which there is no program. */
const lines: ReadonlyArray<readonly [line: string, advice: string]> = [
  ["ls -la | head", sh("ls -la | head")],
  ["npm test > out.txt 2>&1", sh("npm test > out.txt 2>&1")],
  ["cat *.ts", sh("cat *.ts")],
  ["echo $HOME", sh("echo $HOME")],
  ["ls ~/x", sh("ls ~/x")],
  ["FOO=1 node x.js", sh("FOO=1 node x.js")],
  ['echo "$HOME"', sh('echo "$HOME"')],
  ["npm test", 'element of its own: ["npm","test"]'],
  ['git commit -m "a b"', 'element of its own: ["git","commit","-m","a b"]'],
  ["grep 'a|b' src", 'element of its own: ["grep","a|b","src"]']
]

/** Commands in several words that are answered before anything runs. */
const refused: ReadonlyArray<readonly [argv: ReadonlyArray<string>, advice: string]> = [
  [["ls", "-la", "|", "head"], sh("ls -la | head")],
  [["npm", "test", "||", "true"], sh("npm test || true")],
  [["FOO=1", "node", "x"], sh("FOO=1 node x")],
  [["FOO=a b", "node", "x"], sh("FOO='a b' node x")],
  [["echo", "hi", ">", "out.txt"], sh("echo hi > out.txt")],
  [["npm", "test", "2>&1"], sh("npm test 2>&1")],
  [["npm", "test", "2>&1", "|", "tail", "-5"], sh("npm test 2>&1 | tail -5")],
  [["wc", "-l", "<", "a.txt"], sh("wc -l < a.txt")],
  [["cat", "src/*.ts"], sh("cat src/*.ts")],
  [["rm", "$DIR/a"], sh("rm $DIR/a")],
  [["cat", "a.txt", "|", "grep", "a|b"], sh("cat a.txt | grep 'a|b'")],
  [["cat", "a.txt", "|", "awk", "{print $1}"], sh("cat a.txt | awk '{print $1}'")],
  [["sh", "-c", "ls", "|", "head"], sh("ls | head")],
  [["bash", "-lc", "npm", "test", "&&", "ls"], sh("npm test && ls")],
  [["cd", "sub", "&&", "ls"], '{"argv":["ls"],"cwd":"sub"}'],
  [["cd", "my dir", "&&", "npm", "test"], '{"argv":["npm","test"],"cwd":"my dir"}'],
  [["cd", "sub", "&&", "ls", "|", "head"], '{"argv":["sh","-c","ls | head"],"cwd":"sub"}'],
  [["cd sub && npm test"], '{"argv":["npm","test"],"cwd":"sub"}'],
  [["cd sub; ls *.ts"], '{"argv":["sh","-c","ls *.ts"],"cwd":"sub"}'],
  [["cd", "sub"], '{"argv":["ls"],"cwd":"sub"}'],
  [["cd"], "cwd"],
  [["export", "A=1"], sh("export A=1")],
  [["source", ".env"], sh("source .env")]
]

/** Words that may be meant as they are. */
const kept: ReadonlyArray<ReadonlyArray<string>> = [
  ["npm", "test"],
  ["cat", "app/[slug]/page.tsx", "app/routes/$postId.tsx"],
  ["node", "check.js", '["/tmp/a","/tmp/b*"]'],
  ["grep", "-r", "a|b", "src"],
  ["grep", "|", "file"],
  ["find", ".", "-name", "*.ts", "-exec", "cat", "{}", ";"],
  ["sort", "-t", "|", "a.csv"],
  ["cut", "-d", "|", "-f", "1", "a.csv"],
  ["awk", "{print $1}", "a.txt"],
  ["jq", ".a | .b", "a.json"],
  ["npx", "eslint", "src/**/*.ts"],
  ["git", "commit", "-m", "a && b | c > d"],
  ["node", "-e", "console.log(1 > 2 && `x`)"],
  ["python3", "-c", "print(1 | 2)"],
  ["sh", "-c", "ls -la | head"],
  ["printf", "[%s]", ";", "&&", "|", ">", "out.txt", "*", "$HOME"]
]

describe("a command for a shell", () => {
  it("in one element is answered with the call that works", () => {
    for (const [line, advice] of lines) assert.include(missingProgramAdvice([line]), advice, line)
  })

  it("in several elements is answered with the call that works", () => {
    for (const [argv, advice] of refused) assert.include(shellProblem(argv) ?? "", advice, argv.join(" "))
  })

  it("is none where the words may be meant as they are", () => {
    for (const argv of kept) assert.isUndefined(shellProblem(argv), argv.join(" "))
  })

  it("with a program that is not there names the words", () => {
    assert.include(missingProgramAdvice(["npm run", "test"]), '["npm","run","test"]')
    assert.include(missingProgramAdvice(["~/bin/x", "a b"]), sh("~/bin/x 'a b'"))
    assert.include(missingProgramAdvice(["no-such", "x"]), "Name a program that is installed")
  })

  it("that failed over a word that a shell would have replaced is named", () => {
    const output = "error: no such file src/*.ts"
    assert.include(unreplacedWords(["npx", "tool", "src/*.ts"], output), sh("npx tool src/*.ts"))
    assert.isUndefined(unreplacedWords(["npx", "tool", "src/*.ts"], "1 test failed"))
    assert.isUndefined(unreplacedWords(["grep", "src/*.ts", "a"], output))
  })
})

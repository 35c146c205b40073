/**
 * What the configuration of git is made of.
 */
import type { Ingredients } from "./ParserInput.ts"

export const gitIngredients: Ingredients = {
  valid: [
    '[core]\n\thooksPath = .hooks\n\tfsmonitor = "sh -c \\"x\\""\n[alias "a"]\n\tb = !run.sh # c\n',
    '[include]\n  path = ../more\n[includeIf "gitdir:~/x/"]\n  path = y\n[filter "lfs"] clean = git-lfs clean -- %f\n',
    "; a\n[core] # b \\\nhooksPath = x \\\n y ; c \\\nfsmonitor\n[a][core]pager=less\n"
  ],
  tokens: [
    "[core]",
    "[alias]\n",
    '[filter "',
    '"]',
    " = ",
    "hookspath",
    "\nfsmonitor",
    "clean",
    "path",
    "# ",
    "; ",
    "\\\n",
    '\\"',
    "gitdir: ",
    "!sh ",
    "\n",
    "\r\n",
    "\\t",
    "\n[a.B]",
    "x = 1\n"
  ]
}

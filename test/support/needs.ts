/**
 * What tests need and npm does not install. A test that lacks it is skipped, and the end of `npm test` says how many were and
 * why: the options that are made here carry the reason to the report.
 */
import { spawnSync } from "node:child_process"

declare module "vitest" {
  interface TaskMeta {
    /** Why the test is skipped, as whole sentences. */
    missing?: string
  }
}

/** Options for a test or a group of tests that can only run when nothing is missing. */
export interface NeedOptions {
  readonly skip?: boolean
  readonly meta?: { readonly missing: string }
  /** Milliseconds, for what a busy machine does slowly. */
  readonly timeout?: number
}

/** Skips a test for a reason, if there is one. */
export const unlessMissing = (missing: string | undefined): NeedOptions =>
  missing === undefined ? {} : { skip: true, meta: { missing } }

interface Program {
  readonly title: string
  /** The name of its package in Debian. */
  readonly install: string
  /** Words that start it for what the tests use it for. */
  readonly trial: ReadonlyArray<string>
}

const programs = {
  bwrap: {
    title: "bubblewrap (bwrap)",
    install: "bubblewrap",
    /** As the sandbox of commands: in a container often only the new /proc is refused. */
    trial: [
      ..."bwrap --unshare-user --disable-userns --unshare-all --cap-drop ALL --new-session --die-with-parent".split(
        " "
      ),
      ..."--ro-bind / / --dev /dev --proc /proc --tmpfs /tmp /bin/sh -c :".split(" ")
    ]
  },
  git: { title: "git", install: "git", trial: ["git", "--version"] },
  overlay: {
    title: "An overlay in a user namespace (unshare, mount)",
    install: "util-linux",
    trial: [
      ..."unshare -Urm /bin/sh -c".split(" "),
      "d=$(mktemp -d) && cd $d && mkdir lower upper work merged && mount -t overlay -o userxattr,lowerdir=lower,upperdir=upper,workdir=work x merged; e=$?; umount merged; rm -rf $d; exit $e"
    ]
  },
  landlock: {
    title: "Landlock of Linux 6.2",
    install: "python3",
    trial: [
      ..."python3 -c".split(" "),
      "import ctypes, sys; sys.exit(0 if ctypes.CDLL(None).syscall(444, None, 0, 1) > 2 else 'the kernel has it not, or not from ABI 3 on')"
    ]
  },
  controlGroups: {
    title: "A control group (version 2) that this user may make, with cgroup.kill of Linux 5.14",
    install: "util-linux",
    trial: [
      ..."/bin/sh -c".split(" "),
      'own=$(sed -n s/^0:://p /proc/self/cgroup); top=$(sed -n "s/^[^ ]* [^ ]* [^ ]* [^ ]* \\([^ ]*\\) .* - cgroup2 .*/\\1/p" /proc/self/mountinfo | head -n 1); [ "$top" ] || exit 1; while :; do d="$top$own/trial-$$"; if mkdir "$d" 2>/dev/null; then (echo 0 > "$d/cgroup.procs") && echo 1 > "$d/cgroup.kill"; e=$?; rmdir "$d"; [ $e = 0 ] && exit 0; fi; [ "$own" = / ] || [ -z "$own" ] && exit 1; own=${own%/*}; done'
    ]
  },
  bash: { title: "bash", install: "bash", trial: ["bash", "-c", ":"] },
  setsid: { title: "setsid", install: "util-linux", trial: ["setsid", "true"] },
  tar: { title: "tar", install: "tar", trial: ["tar", "--version"] },
  make: { title: "make", install: "make", trial: ["make", "--version"] },
  python3: { title: "Python", install: "python3", trial: ["python3", "--version"] },
  openssl: { title: "openssl", install: "openssl", trial: ["openssl", "version"] },
  chromium: { title: "Chromium", install: "chromium", trial: ["chromium", "--version"] },
  zsh: { title: "zsh", install: "zsh", trial: ["zsh", "--version"] },
  fish: { title: "fish", install: "fish", trial: ["fish", "--version"] },
  strace: {
    title: "strace",
    install: "strace",
    trial: "strace -qq -o /dev/null -e trace=bind -e inject=bind:error=EPERM /bin/sh -c :".split(" ")
  }
} satisfies Readonly<Record<string, Program>>

export type ProgramName = keyof typeof programs

/** Why a program cannot be used here: it is not there, or it does not work, as bubblewrap in most containers. */
const missingProgram = ({ install, title, trial: [program = "", ...words] }: Program): string | undefined => {
  const { error, status, stderr } = spawnSync(program, words, { encoding: "utf8", stdio: ["ignore", "ignore", "pipe"] })
  if (error !== undefined) return `${title} is not installed. On Debian: apt-get install ${install}`
  return status === 0 ? undefined : `${title} does not work on this machine: ${stderr.trim().split("\n").at(-1)}`
}

const found = new Map<ProgramName, string | undefined>()

const missing = (name: ProgramName): string | undefined => {
  if (!found.has(name)) found.set(name, missingProgram(programs[name]))
  return found.get(name)
}

/** Skips a test where one of the programs cannot be used: `it("...", needs("git"), () => ...)`. */
export const needs = (...names: readonly [ProgramName, ...ReadonlyArray<ProgramName>]): NeedOptions =>
  unlessMissing(names.map(missing).find((reason) => reason !== undefined))

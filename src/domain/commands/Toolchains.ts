/**
 * The toolchains that users keep in their home folder. Commands in the sandbox can read a toolchain's programs and
 * downloaded packages, but not change them, and see no credentials.
 */

export interface Toolchain {
  readonly name: string
  /** Possible folders, relative to the home folder. The toolchain is installed if one exists. */
  readonly folders: ReadonlyArray<string>
  /** The environment variable that can name another folder. */
  readonly variable?: string
  /** The parts of the folder that commands see; "." for the whole folder. */
  readonly programs?: ReadonlyArray<string>
  /**
   * The parts with downloaded packages, shown only to commands without a network. With a network, commands download
   * into the project's cache.
   */
  readonly packages?: ReadonlyArray<string>
  /** Credentials, which are never shown. */
  readonly keys?: ReadonlyArray<string>
  /** Further environment variables that are passed to commands. */
  readonly passes?: ReadonlyArray<string>
  /** Variables that the sandbox sets. `{folder}` is the toolchain's folder, `{cache}` the project's cache. */
  readonly sets?: {
    readonly always?: Readonly<Record<string, string>>
    readonly offline?: Readonly<Record<string, string>>
    readonly online?: Readonly<Record<string, string>>
  }
}

export const toolchains: ReadonlyArray<Toolchain> = [
  { name: "pyenv", folders: [".pyenv"], variable: "PYENV_ROOT", programs: ["."], passes: ["PYENV_VERSION"] },
  {
    name: "Python environments",
    folders: [".virtualenvs", ".local/share/virtualenvs", ".local/pipx/venvs", ".local/share/pipx/venvs"],
    variable: "VIRTUAL_ENV",
    programs: ["."]
  },
  {
    name: "Poetry",
    folders: [".cache/pypoetry/virtualenvs"],
    variable: "POETRY_VIRTUALENVS_PATH",
    programs: ["."],
    sets: { always: { POETRY_VIRTUALENVS_PATH: "{folder}" } }
  },
  { name: "uv", folders: [".local/share/uv"], programs: ["python", "tools"], keys: ["credentials"] },
  {
    name: "conda",
    folders: ["miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba", ".conda/envs"],
    variable: "CONDA_PREFIX",
    programs: ["."],
    keys: [".condarc", "condarc", "condarc.d", "conda-meta/.condarc", "etc/conda"],
    passes: ["CONDA_DEFAULT_ENV"]
  },
  { name: "rustup", folders: [".rustup"], variable: "RUSTUP_HOME", programs: ["."], passes: ["RUSTUP_TOOLCHAIN"] },
  {
    name: "cargo",
    folders: [".cargo"],
    variable: "CARGO_HOME",
    programs: ["bin"],
    packages: ["registry", "git"],
    keys: ["credentials", "credentials.toml", "config", "config.toml"],
    sets: { offline: { CARGO_NET_OFFLINE: "true" }, online: { CARGO_HOME: "{cache}/cargo" } }
  },
  {
    name: "Go",
    folders: ["go"],
    variable: "GOPATH",
    programs: ["bin"],
    packages: ["pkg/mod"],
    sets: { online: { GOMODCACHE: "{cache}/go-mod" } }
  },
  { name: "Go modules", folders: [], variable: "GOMODCACHE", packages: ["."] },
  { name: "Go itself", folders: ["sdk", ".local/go"], variable: "GOROOT", programs: ["."] },
  { name: "JDK", folders: [".jdks"], variable: "JAVA_HOME", programs: ["."] },
  { name: "SDKMAN", folders: [".sdkman"], variable: "SDKMAN_DIR", programs: ["candidates"] },
  {
    name: "Maven",
    folders: [".m2"],
    programs: ["wrapper"],
    packages: ["repository"],
    keys: ["settings.xml", "settings-security.xml"],
    sets: { online: { MAVEN_OPTS: "-Dmaven.repo.local={cache}/maven" } }
  },
  {
    name: "Gradle",
    folders: [".gradle"],
    variable: "GRADLE_USER_HOME",
    programs: ["wrapper/dists"],
    packages: ["caches/modules-2"],
    keys: ["gradle.properties", "init.gradle", "init.d"],
    sets: {
      always: { GRADLE_USER_HOME: "{cache}/gradle", TASK_CONDUCTOR_GRADLE: "{folder}/wrapper/dists" },
      offline: { GRADLE_RO_DEP_CACHE: "{folder}/caches" }
    }
  },
  {
    name: "npm",
    folders: [".npm-global", ".npm-packages"],
    programs: ["bin", "lib"],
    keys: ["etc/npmrc"]
  },
  { name: "nvm", folders: [".nvm"], variable: "NVM_DIR", programs: ["versions", "alias", "nvm.sh"] },
  { name: "pnpm", folders: [".local/share/pnpm"], variable: "PNPM_HOME", programs: ["."], keys: ["auth.ini", "rc"] },
  {
    name: "bun",
    folders: [".bun"],
    variable: "BUN_INSTALL",
    programs: ["bin"],
    packages: ["install/cache"],
    sets: { online: { BUN_INSTALL_CACHE_DIR: "{cache}/bun" } }
  },
  { name: "Deno", folders: [".deno"], variable: "DENO_INSTALL", programs: ["bin"] },
  {
    name: "Deno modules",
    folders: [".cache/deno"],
    variable: "DENO_DIR",
    packages: ["npm", "remote", "deps", "registries"],
    keys: ["location_data"],
    sets: { offline: { DENO_DIR: "{folder}" } }
  },
  { name: "asdf", folders: [".asdf"], variable: "ASDF_DATA_DIR", programs: ["."], passes: ["ASDF_DIR"] },
  { name: "versions for asdf", folders: [".tool-versions"], programs: ["."] },
  { name: "mise", folders: [".local/share/mise"], variable: "MISE_DATA_DIR", programs: ["installs", "shims"] },
  { name: "rbenv", folders: [".rbenv"], variable: "RBENV_ROOT", programs: ["."], passes: ["RBENV_VERSION"] },
  { name: "gems", folders: [".gem"], variable: "GEM_HOME", programs: ["."], keys: ["credentials"] },
  { name: "Bundler", folders: [".bundle"], packages: ["cache"], keys: ["config"] },
  {
    name: "Composer",
    folders: [".composer", ".config/composer"],
    variable: "COMPOSER_HOME",
    programs: ["vendor"],
    keys: ["auth.json", "config.json"]
  },
  { name: ".NET", folders: [".dotnet"], variable: "DOTNET_ROOT", programs: ["."], keys: ["corefx"] },
  {
    name: "NuGet",
    folders: [".nuget"],
    packages: ["packages"],
    keys: ["NuGet"],
    sets: { online: { NUGET_PACKAGES: "{cache}/nuget" } }
  }
]

/**
 * Links the user's Gradle versions into the project's cache, where a Gradle wrapper searches, and removes old links.
 * The user's folder cannot be mounted there read-only, because the wrapper locks a file beside the versions. The script
 * runs inside the sandbox. Outside, a link that a command made could lead the script to other files of the user.
 */
export const toolchainScript =
  'if [ "$TASK_CONDUCTOR_GRADLE" ]; then (' +
  'to=$GRADLE_USER_HOME/wrapper/dists; for one in "$to"/*/*/*; do [ -e "$one" ] || rm -f "$one"; done; ' +
  'for ok in "$TASK_CONDUCTOR_GRADLE"/*/*/*.ok; do from=${ok%/*}; own=$to${from#"$TASK_CONDUCTOR_GRADLE"}; ' +
  '[ ! -e "$ok" ] || [ -e "$own/${ok##*/}" ] || ' +
  '{ mkdir -p "$own" && ln -s "$from"/*/ "$own" && ln -s "$ok" "$own"; }; done) 2>/dev/null; fi;'

/** Where the sandbox shows the project's cache, which outlasts the command. */
export const cacheInSandbox = "/var/cache/task-conductor"

/** Variables that make every command use this cache, whatever toolchains are installed. */
const usualCaches: Readonly<Record<string, string>> = {
  XDG_CACHE_HOME: cacheInSandbox,
  npm_config_cache: `${cacheInSandbox}/npm`
}

/** Variables for commands with a network. They keep npm from asking the network for its own newest version. */
const withNetwork: Readonly<Record<string, string>> = { npm_config_update_notifier: "false" }

/**
 * Environment variables for commands without a network. Without these variables, npm would retry for more than a
 * minute, and pip for twelve seconds.
 */
const withoutNetwork: Readonly<Record<string, string>> = { npm_config_offline: "true", PIP_RETRIES: "0" }

/** Environment variables of toolchains that commands get if they are set. */
export const toolchainVariables: ReadonlySet<string> = new Set(
  toolchains.flatMap(({ passes = [], variable }) => (variable === undefined ? passes : [variable, ...passes]))
)

/** The variables that the sandbox sets. `installed` are the toolchains with their folders. */
export const sandboxVariables = (
  installed: ReadonlyArray<{ readonly toolchain: Toolchain; readonly folder: string }>,
  network: boolean
): Readonly<Record<string, string>> => {
  const named = new Map(installed.map(({ folder, toolchain }) => [toolchain, folder]))
  const set = toolchains.flatMap((toolchain) => {
    const folder = named.get(toolchain)
    const { always = {}, offline = {}, online = {} } = toolchain.sets ?? {}
    return Object.entries({ ...always, ...(network ? online : offline) }).flatMap(([name, value]) =>
      value.includes("{folder}") && folder === undefined
        ? []
        : [[name, value.replace("{folder}", folder ?? "").replace("{cache}", cacheInSandbox)] as const]
    )
  })
  return { ...usualCaches, ...(network ? withNetwork : withoutNetwork), ...Object.fromEntries(set) }
}

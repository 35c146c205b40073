/**
 * Recognises sensitive paths by name: secrets, files that programs run automatically, and files that control git or
 * this program. `automaticFiles.json` lists files that programs run or read without being asked, as when a project is
 * opened. Files that a user runs on purpose, such as a Makefile, are not in this list.
 */

import rows from "./automaticFiles.json" with { type: "json" }

/**
 * The paths of automaticFiles.json. Only indented rows contain paths. The other rows name products.
 * - `a` matches a name at any depth.
 * - `a/b` matches the end of a path.
 * - `a/` matches everything inside the folder.
 * - `*.x` matches any name that ends in `.x`.
 */
const paths = rows.flatMap((row) => (row.startsWith(" ") ? [row.split(" | ", 1)[0]?.trim() ?? ""] : []))
const exact: ReadonlySet<string> = new Set(paths.filter((path) => !path.startsWith("*")))
const nameEndings = paths.filter((path) => path.startsWith("*")).map((path) => path.slice(1))
const longest = Math.max(...paths.map((path) => path.replace(/\/$/, "").split("/").length))

/**
 * Takes the first `length` components as a path, and returns its ends: the last component, the last two joined by a
 * slash, and so on.
 */
const endsOf = (components: ReadonlyArray<string>, length: number): ReadonlyArray<string> =>
  Array.from({ length: Math.min(longest, length) }, (_, index) =>
    components.slice(length - index - 1, length).join("/")
  )

const isInAutomaticFiles = (components: ReadonlyArray<string>): boolean =>
  components.slice(0, -1).some((_, index) => endsOf(components, index + 1).some((end) => exact.has(`${end}/`))) ||
  endsOf(components, components.length).some((end) => exact.has(end)) ||
  nameEndings.some((ending) => components.at(-1)?.endsWith(ending) === true)

const namesIn = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/))

/**
 * Names of folders in which programs store keys, usually in the user's home folder. Every file in a folder with such a
 * name counts as secret, wherever the folder is.
 */
export const secretFolders: ReadonlySet<string> = namesIn(`
  .ssh .gnupg .aws .azure .kube .docker .gcloud .oci .aliyun .bluemix .password-store .kaggle .huggingface .snowsql
  .config/gcloud .config/gh .config/glab-cli .config/doctl .config/hcloud .config/op .config/rclone .config/sops
  .local/share/keyrings
`)

const fileNames = namesIn(`
  .env .envrc .flaskenv .dev.vars
  .netrc _netrc .authinfo .npmrc .yarnrc.yml .pypirc pip.conf pip.ini auth.json .terraformrc terraform.rc
  .pgpass pgpass.conf .my.cnf .mylogin.cnf database.yml parameters.yml local_settings.py wp-config.php
  .git-credentials .htpasswd .htdigest .dockercfg .dockerconfigjson .s3cfg .boto .passwd-s3fs rclone.conf .rclone.conf
  .databrickscfg .ossutilconfig .fetchmailrc .msmtprc .muttrc .offlineimaprc .smbcredentials sftp.json sftp-config.json
  .ftpconfig sitemanager.xml recentservers.xml datasources.local.xml kaggle.json kubeconfig kubeconfig.yml
  kubeconfig.yaml adc.json keyfile.json accesstokens.json msal_token_cache.json msal_token_cache.bin
  .vault-token .token token token.json token.txt
  passwd.txt passwd.csv .passwd shadow gshadow shadow- gshadow- opasswd master.passwd cookies.sqlite key3.db key4.db logins.json wallet.dat fish_history
`)

/** Files that count as secrets only in the folder that is named with them. */
const placedFiles = [
  ".m2/settings.xml",
  ".m2/settings-security.xml",
  ".gradle/gradle.properties",
  ".config/hub",
  ".fly/config.yml",
  ".railway/config.json",
  ".netlify/config.json",
  "etc/kubernetes/admin.conf"
].map((path) => `/${path}`)

/** Extensions of keys, key stores, password stores, and state files that contain keys. */
const keyEnding =
  /\.(?:pem|key|p8|pk8|p12|pkcs12|pfx|jks|jceks|bks|keystore|kdb|kdbx|ppk|asc|gpg|pgp|agekey|keytab|ovpn|psafe3|keychain|keychain-db|publishsettings|kubeconfig|creds|credentials|secret|secrets|tfstate|tfvars|tfvars\.json)$/

const keyNames = [
  /^\.env[._-]./,
  /^env\.(?:local|dev|development|test|staging|prod|production)$/,
  /.\.env$/,
  /** Private SSH keys. The name of a public key ends in `.pub`. */
  /^\.?id_(?:rsa|dsa|ecdsa|ed25519|xmss)(?:[._-].*)?$/,
  /^[^.]*[_-](?:rsa|dsa|ecdsa|ed25519)$/,
  /^ssh_host_.*_key$/,
  /^krb5cc_/,
  /** The input history of a shell or database client. */
  /^\.[a-z_]+_history$/,
  /^kubeconfig[._-]/,
  /firebase-adminsdk/
]

/**
 * Extensions of data files. A word such as "secret" in a name counts only for data files, because prose and code about
 * secrets are ordinary files.
 */
const dataEnding =
  /\.(?:json|jsonc|json5|ya?ml|toml|ini|cfg|conf|config|env|txt|csv|xml|properties|plist|db|sqlite|enc|tfrc\.json)$/

const secretWords =
  /(?:^|[._\s-])(?:secrets?|credentials?|creds|passwords?|passphrase|api[._-]?keys?|private[._-]?keys?|(?:access|auth|api|refresh|bearer)[._-]?tokens?|client[._-]?secrets?|vault[._-]?pass|service[._-]?account(?:[._-]?key)?)(?:[._\s-]|$)/

const dataFolders = namesIn("secret secrets .secret .secrets credentials .credentials private_keys private-keys")

/** True for data files and files without an extension. */
const isData = (name: string): boolean => dataEnding.test(name) || !name.replace(/^\./, "").includes(".")

/** Endings that programs and users append to copies. */
const copyEnding =
  /(?:~|\.(?:bak|backup|old|orig|save|saved|copy|tmp|swp|swo|rej|prev|previous|gz|bz2|xz|zst|zip|enc|age|\d{1,14})| copy| \(\d+\)|[ .]+)$/

const originalOf = (name: string): string => {
  const unwrapped = name.replace(/^#(.+)#$/, "$1")
  const shorter = unwrapped.replace(copyEnding, "")
  return shorter === "" || shorter === name ? name : originalOf(shorter)
}

/**
 * True for an example, which contains no secrets. A name with the extension of a key is an example only if it ends in
 * `.example` or a similar word.
 */
const isExample = (name: string): boolean =>
  /\.(?:example|sample|template|dist|tmpl)$/.test(name) ||
  (/(?:^|[._-])(?:example|sample|template)\.[a-z]+$/.test(name) && !keyEnding.test(name))

/** True when the path names keys, passwords or tokens, or a folder of them. The components are in lower case. */
const namesSecret = (components: ReadonlyArray<string>): boolean => {
  const folders = components.slice(0, -1)
  if (
    folders.some((folder, index) => secretFolders.has(folder) || secretFolders.has(`${folder}/${folders[index + 1]}`))
  )
    return true
  const name = originalOf(components.at(-1) ?? "")
  if (isExample(name)) return false
  const path = `/${[...folders, name].join("/")}`
  /* Some editors put a dot before the name of a backup copy. */
  return (
    fileNames.has(name) ||
    fileNames.has(name.replace(/^\./, "")) ||
    keyEnding.test(name) ||
    (!name.endsWith(".pub") && keyNames.some((pattern) => pattern.test(name))) ||
    placedFiles.some((placed) => path.endsWith(placed)) ||
    (isData(name) && (secretWords.test(name) || folders.some((folder) => dataFolders.has(folder))))
  )
}

const componentsOf = (path: string): ReadonlyArray<string> =>
  path
    .toLowerCase()
    .split(/[\\/]/)
    .filter((part) => part !== "")

/**
 * True when the name of the file or of one of its folders suggests keys, passwords or tokens. The program reads such a
 * file only for a call that declares it.
 *
 * ```ts
 * isSecretLike("config/.env") // true
 * ```
 */
export const isSecretLike = (path: string): boolean => namesSecret(componentsOf(path))

/** Folders and files that control git or this program. */
const controlNames = new Set([".git", ".task-conductor"])
const controlFiles = new Set(["task-conductor.json", ".mcp.json"])

/** True for a path of the project that no tool may write. */
export const isControlPath = (relative: string): boolean => {
  const components = componentsOf(relative)
  return components.some((part) => controlNames.has(part)) || controlFiles.has(components.at(-1) ?? "")
}

/** True for a file that a program runs or reads automatically. Whoever writes it can cause code to run. */
export const isAutomatic = (path: string): boolean => isInAutomaticFiles(componentsOf(path))

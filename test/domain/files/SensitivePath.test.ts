import { assert, describe, it } from "@effect/vitest"
import { isControlPath, isSecretLike } from "../../../src/domain/files/SensitivePath.ts"

it("is a file of control what steers git and this program, in any letter case and at any depth", () => {
  const control = [".git/config", "sub/.git/hooks/pre-commit", ".GIT/config", ".task-conductor/skills/x/SKILL.md"]
  const others = [".gitignore", "git/config", "src/.github/x", "docs/task-conductor.md"]
  const all = [...control, "task-conductor.json", ".mcp.json"]
  assert.deepStrictEqual([...all, ...others].filter(isControlPath), all)
})

const wordsOf = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/)

const missed = (paths: ReadonlyArray<string>) => paths.filter((path) => !isSecretLike(path))
const needless = (paths: ReadonlyArray<string>) => paths.filter(isSecretLike)

describe("names of secrets", () => {
  it("finds files of environment variables in all their forms", () => {
    const names = `.env .ENV .env.local .env.production .env.staging.local .env-prod .env_dev prod.env config/app.env
      env.local env.production .envrc .flaskenv .dev.vars apps/web/.env.test docker/db.env`
    assert.deepStrictEqual(missed(wordsOf(names)), [])
  })

  it("finds private keys and stores of keys", () => {
    const names = `id_rsa ID_RSA id_ed25519 id_ecdsa_sk id_rsa_github id_ed25519-work id_ed25519.work deploy_rsa github_ed25519
      ssh_host_ed25519_key cert.PEM server.key app.p12 app.pfx AuthKey_X.p8 release.jks debug.keystore vault.kdbx old.kdb
      putty.ppk private.asc ring.gpg krb5.keytab client.ovpn login.keychain-db private_key private-key.txt privatekey.json
      keys.agekey server.example.com.key sample.pem`
    assert.deepStrictEqual(missed(wordsOf(names)), [])
  })

  it("finds the files in which common tools keep credentials", () => {
    const names = `.npmrc .yarnrc.yml .netrc _netrc .authinfo .pypirc pip.conf .pgpass .my.cnf .git-credentials .htpasswd
      .dockercfg .docker/config.json .dockerconfigjson .aws/credentials .aws/config .azure/accessTokens.json .kube/config
      kubeconfig kubeconfig.yaml kubeconfig-prod prod.kubeconfig .config/gcloud/credentials.db
      .config/gcloud/legacy/x/adc.json application_default_credentials.json service-account.json serviceAccountKey.json
      my-service-account.json client_secret_12.apps.json client_secrets.json app-firebase-adminsdk-1x.json
      terraform.tfvars prod.auto.tfvars prod.tfvars.json terraform.tfstate terraform.tfstate.backup .terraformrc
      credentials.tfrc.json wp-config.php .m2/settings.xml .gradle/gradle.properties .cargo/credentials.toml
      .composer/auth.json .gem/credentials .config/gh/hosts.yml .config/hub .s3cfg .boto .rclone.conf .databrickscfg
      .vault-token .vault_pass.txt kaggle.json .huggingface/token .cache/huggingface/token .claude/.credentials.json
      .fly/config.yml sftp-config.json .ftpconfig config/master.key config/database.yml local_settings.py
      .password-store/mail.gpg .gnupg/pubring.kbx /home/you/.ssh/config .ssh/known_hosts`
    assert.deepStrictEqual(missed(wordsOf(names)), [])
  })

  it("finds data whose name or folder says that it is secret", () => {
    const names = `secrets.yaml secrets.prod.yml prod-secrets.json secret.toml credentials credentials-prod.json
      aws_credentials passwords.txt passwords.csv db_password.txt apikey.txt api-keys.json api_key access_token auth-token.txt
      token.json .token .secrets clientSecret.json k8s/secrets/db.yaml run/secrets/db_url .secrets/anything private_keys/a
      credentials.yml.enc .credentials.json`
    assert.deepStrictEqual(missed(wordsOf(names)), [])
  })

  it("finds copies of secrets, and histories of what was typed", () => {
    const names = [
      ...wordsOf(`.env.bak .env~ .env.old .env.swp .env.1 .env.20261120 #.env# ..env.swp id_rsa.bak id_ed25519.old
        server.key.gz secrets.yaml.orig .npmrc.save wp-config.php.bak wp-config.php~ terraform.tfstate.1700000000.backup
        .netrc.backup credentials.json.enc .bash_history .zsh_history .psql_history fish_history`),
      ".env copy",
      "credentials copy.json",
      ".env ",
      "id_rsa (1)"
    ]
    assert.deepStrictEqual(missed(names), [])
  })

  it("leaves everyday files, texts and source code about secrets, public keys and examples alone", () => {
    const names = `src/env.ts environment env.d.ts src/secrets.ts docs/secrets.md src/credentials/index.ts password.tsx
      src/auth/credentials.ts tokens.css design/tokens.json keys.ts public_key.txt id_rsa.pub id_ed25519.pub cert.crt ca.cer
      .env.example .env.sample .env.template example.env prod.env.example credentials.example.json wp-config-sample.php
      secrets.template.yaml server.key.example package.json package.json.bak README.md settings.xml auth.ts tokenizer.json
      docker-compose.yml .gitignore history.md config.json .dockerignore terraform.tf variables.tf main.tf keyboard.json
      gradle.properties src/main.rs.orig v1.2 CHANGELOG.1 .github/workflows/ci.yml .vscode/settings.json`
    assert.deepStrictEqual(needless(wordsOf(names)), [])
  })
})

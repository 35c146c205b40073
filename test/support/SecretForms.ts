/**
 * A secret of every form that is taken out of what is kept.
 */

/** Put together here, so that no text of this file looks like a secret to a scanner. */
const made = (...parts: ReadonlyArray<string>): string => parts.join("")
export const body = "aB3".repeat(40)

export const secrets: Readonly<Record<string, string>> = {
  OpenAI: made("sk", "-", "proj-", body.slice(0, 40)),
  Anthropic: made("sk", "-", "ant-api03-", body.slice(0, 90)),
  GitHub: made("gh", "p_", body.slice(0, 36)),
  "GitHub, of an app": made("gh", "s_", body.slice(0, 36)),
  "GitHub, fine-grained": made("github", "_pat_", body.slice(0, 22), "_", body.slice(0, 59)),
  GitLab: made("gl", "pat-", body.slice(0, 20)),
  "GitLab, routable": made("gl", "pat-", body.slice(0, 27), ".01.", "ab3".repeat(3)),
  npm: made("np", "m_", body.slice(0, 36)),
  "Hugging Face": made("h", "f_", body.slice(0, 34)),
  "Stripe, live": made("s", "k_", "live_", body.slice(0, 24)),
  "Stripe, test": made("s", "k_", "test_", body.slice(0, 99)),
  "Stripe, restricted": made("r", "k_", "live_", body.slice(0, 24)),
  "Slack, bot": made("xo", "xb-", "1234567890-", body.slice(0, 24)),
  "Slack, person": made("xo", "xp-", "1234567890-", body.slice(0, 24)),
  "Slack, app": made("xa", "pp-", "1-A0-", body.slice(0, 24)),
  "Google, key": made("AI", "za", body.slice(0, 35)),
  "Google, access": made("ya", "29.", body.slice(0, 60)),
  SendGrid: made("S", "G.", body.slice(0, 22), ".", body.slice(0, 43)),
  DigitalOcean: made("do", "p_v1_", "0a".repeat(32)),
  AWS: made("AK", "IA", "ABCDEFGHIJKLMNOP"),
  "AWS, for a session": made("AS", "IA", "ABCDEFGHIJKLMNOP"),
  JWT: made("ey", "J", body.slice(0, 20), ".ey", "J", body.slice(0, 40), ".", body.slice(0, 43)),
  PEM: made("-----BEGIN ", "RSA PRIVATE KEY-----\n", body, "\n-----END ", "RSA PRIVATE KEY-----"),
  OpenSSH: made("-----BEGIN ", "OPENSSH PRIVATE KEY-----\r\n", body, "\r\n-----END ", "OPENSSH PRIVATE KEY-----"),
  PGP: made("-----BEGIN ", "PGP PRIVATE KEY BLOCK-----\n\n", body, "\n-----END ", "PGP PRIVATE KEY BLOCK-----"),
  "PEM, cut off": made("-----BEGIN ", "PRIVATE KEY-----\n", body.slice(0, 64), "\n", body.slice(0, 50))
}

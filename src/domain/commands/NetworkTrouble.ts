/** Error messages of programs without a network. */

const noNetwork =
  /could not resolve(?! ["'])|temporary failure in name resolution|name or service not known|nodename nor servname|EAI_AGAIN|\bENOTFOUND\b|ENETUNREACH|network is unreachable|getaddrinfo|unknown ?host|no such host|dial tcp\b|failed to lookup address|error sending request|nameresolution|--offline|ENOTCACHED|(?:in|for) offline mode|CARGO_NET_OFFLINE|unable to resolve host|:nxdomain\b/i

/** Errors of package managers about failed downloads, which do not mention the network. */
const unfetched =
  /no matching distribution found|could not transfer artifact|one of its dependencies could not be resolved|ERR_PNPM_NO_OFFLINE_|downloading (?:package manifest|tarball)|trouble with your network connection|could not reach host|HTTP 000 CONNECTION FAILED|unable to load the service index/i

/** True if the output of a command reports that it had no network. */
export const saysNoNetwork = (output: string): boolean => noNetwork.test(output) || unfetched.test(output)
